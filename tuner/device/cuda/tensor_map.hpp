// Tensor maps of the cuda device. Any thread.
#pragma once

#include "core/tensor_layout.hpp"
#include "core/verdict.hpp"
#include "device/cuda/driver_api.hpp"

namespace attune::cuda {

// Encodes the map into the 128 bytes at `map`, which is aligned to 64. A context must be current. Returns launch_error
// when the driver is too old or refuses the layout.
Status encode_tensor_map(const DriverApi& api, const TensorLayout& layout, void* array, void* map);

}  // namespace attune::cuda
