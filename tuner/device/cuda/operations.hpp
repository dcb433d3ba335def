// Puts one Operation on a stream, for launches and samples alike. The device's context must be current.
#pragma once

#include "device/cuda/driver_api.hpp"
#include "device/device.hpp"

namespace attune::cuda {

inline DeviceAddress device_address(const void* pointer) noexcept { return reinterpret_cast<DeviceAddress>(pointer); }

// Makes the driver call of a launch, with these parameters in place of its own, and returns its result. Nothing is
// launched unless the result is a success.
DriverResult launch_operation(const DriverApi& api, const Operation& operation, void** parameters,
                              CUstream_st* stream) noexcept;

// Enqueues the operation by one call of the driver or of its routine. Takes no lock of its own, and allocates nothing
// unless it fails.
Status enqueue_operation(const DriverApi& api, const Operation& operation, CUstream_st* stream);

// A launch as cuLaunchKernelEx takes it. It holds its own attributes.
class ExtendedLaunch {
 public:
  ExtendedLaunch(const LaunchShape& shape, CUstream_st* stream) noexcept;
  ExtendedLaunch(const ExtendedLaunch&) = delete;
  ExtendedLaunch& operator=(const ExtendedLaunch&) = delete;
  const LaunchConfig& config() const noexcept { return config_; }

 private:
  LaunchConfig config_;
  LaunchAttribute attributes_[3];  // only the first config_.attribute_count are set
};

}  // namespace attune::cuda
