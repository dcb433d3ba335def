// The instruments of a CUDA device: samples by events, sensors by NVML.
#pragma once

#include <memory>

#include "device/instruments.hpp"

namespace attune::cuda {

// Throws Error for a device that open_cuda_device() did not open.
std::unique_ptr<DeviceInstruments> open_cuda_instruments(Device& device);

}  // namespace attune::cuda
