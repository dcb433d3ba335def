// The description of a CUDA device, from the driver and, if present, NVML. No context is made. Thread-safe.
#pragma once

#include <optional>
#include <string>

#include "attune/device_info.hpp"
#include "device/cuda/driver_api.hpp"

namespace attune::cuda {

// Throws Error when the driver does not answer for that device.
DeviceInfo device_info(const DriverApi& api, DeviceNumber device, int ordinal);

// Returns "580.95.05 (CUDA 13.0)", or "CUDA 13.0" when the kernel module's version cannot be read.
std::string driver_text(const DriverApi& api);

// Returns "GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"; for `mig` devices "MIG-".
std::string uuid_text(const Uuid& uuid, bool mig);

// Returns "1g.10gb" for "NVIDIA H100 80GB HBM3 MIG 1g.10gb"; "" for a whole device.
std::string mig_profile_of(const std::string& device_name);

}  // namespace attune::cuda
