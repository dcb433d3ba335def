// Tensor maps of the host device, where attune_async.cuh reads them. Pure.
#pragma once

#include "core/tensor_layout.hpp"

namespace attune {

// Writes an attune_host::TensorMap to `map`, which must be aligned to 64.
void encode_host_tensor_map(const TensorLayout& layout, void* array, void* map);

}  // namespace attune
