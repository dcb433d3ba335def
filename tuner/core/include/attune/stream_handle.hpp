// The handle of a stream: CUDA's own type, declared forward so that no toolkit header is needed. cudaStream_t and
// CUstream are this type. Null is the default stream. On the host device it is always null.
#pragma once

struct CUstream_st;

namespace attune {
using StreamHandle = CUstream_st*;
}
