// Loads an image into a context. The Module owns the driver's module and shares the context.
#pragma once

#include <memory>

#include "device/cuda/cuda_context.hpp"
#include "device/device.hpp"

namespace attune::cuda {

// Returns load_error for code that the device refuses (another architecture, damaged), and out_of_memory when the
// device has no room.
LoadOutcome load_module(std::shared_ptr<const CudaContext> context, const Image& image);

}  // namespace attune::cuda
