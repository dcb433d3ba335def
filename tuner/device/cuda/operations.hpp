// Puts one Operation on a stream, for launches and samples alike. The device's context must be current.
#pragma once

#include "device/cuda/driver_api.hpp"
#include "device/device.hpp"

namespace attune::cuda {

inline DeviceAddress device_address(const void* pointer) noexcept { return reinterpret_cast<DeviceAddress>(pointer); }

// Makes one call of the driver, or of a routine: no lock of its own, and no allocation unless it fails.
Status enqueue_operation(const DriverApi& api, const Operation& operation, CUstream_st* stream);

}  // namespace attune::cuda
