// The part of NVRTC, the CUDA run-time compiler, that attune uses. A test compares the declarations with nvrtc.h.
#pragma once

#include <cstddef>

struct _nvrtcProgram;  // NVIDIA's name

namespace attune::cuda {

using NvrtcResult = int;                // nvrtcResult
using NvrtcProgram = ::_nvrtcProgram*;  // nvrtcProgram

enum : NvrtcResult {
  nvrtc_success = 0,
  nvrtc_out_of_memory = 1,
  nvrtc_invalid_option = 5,
  nvrtc_compilation = 6,
  nvrtc_builtin_failure = 7,
  nvrtc_internal_error = 11,
  nvrtc_pch_heap_exhausted = 14,
};

// F(member, function, return type, parameters...)
#define ATTUNE_NVRTC_FUNCTIONS(F)                                                                              \
  F(error_string, nvrtcGetErrorString, const char*, NvrtcResult)                                               \
  F(version, nvrtcVersion, NvrtcResult, int*, int*)                                                            \
  F(architecture_count, nvrtcGetNumSupportedArchs, NvrtcResult, int*)                                          \
  F(architectures, nvrtcGetSupportedArchs, NvrtcResult, int*)                                                  \
  F(create, nvrtcCreateProgram, NvrtcResult, NvrtcProgram*, const char*, const char*, int, const char* const*, \
    const char* const*)                                                                                        \
  F(destroy, nvrtcDestroyProgram, NvrtcResult, NvrtcProgram*)                                                  \
  F(add_name, nvrtcAddNameExpression, NvrtcResult, NvrtcProgram, const char*)                                  \
  F(compile, nvrtcCompileProgram, NvrtcResult, NvrtcProgram, int, const char* const*)                          \
  F(log_size, nvrtcGetProgramLogSize, NvrtcResult, NvrtcProgram, std::size_t*)                                 \
  F(log, nvrtcGetProgramLog, NvrtcResult, NvrtcProgram, char*)                                                 \
  F(lowered_name, nvrtcGetLoweredName, NvrtcResult, NvrtcProgram, const char*, const char**)                   \
  F(cubin_size, nvrtcGetCUBINSize, NvrtcResult, NvrtcProgram, std::size_t*)                                    \
  F(cubin, nvrtcGetCUBIN, NvrtcResult, NvrtcProgram, char*)                                                    \
  F(ptx_size, nvrtcGetPTXSize, NvrtcResult, NvrtcProgram, std::size_t*)                                        \
  F(ptx, nvrtcGetPTX, NvrtcResult, NvrtcProgram, char*)

// From 12.8 on: precompiled headers.
#define ATTUNE_NVRTC_PCH_FUNCTIONS(F)                                                        \
  F(pch_status, nvrtcGetPCHCreateStatus, NvrtcResult, NvrtcProgram)                          \
  F(pch_heap_required, nvrtcGetPCHHeapSizeRequired, NvrtcResult, NvrtcProgram, std::size_t*) \
  F(set_pch_heap, nvrtcSetPCHHeapSize, NvrtcResult, std::size_t)

// The functions of a loaded NVRTC. Filled in once; then any thread may read it.
struct NvrtcApi {
#define ATTUNE_MEMBER(member, function, result, ...) result (*member)(__VA_ARGS__) = nullptr;
  ATTUNE_NVRTC_FUNCTIONS(ATTUNE_MEMBER)
  ATTUNE_NVRTC_PCH_FUNCTIONS(ATTUNE_MEMBER)
#undef ATTUNE_MEMBER
  bool has_pch() const noexcept { return pch_status != nullptr; }  // then it has all three
};

}  // namespace attune::cuda
