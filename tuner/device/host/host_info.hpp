// The description of this machine as a host device.
#pragma once

#include <cstdint>

#include "attune/device_info.hpp"

namespace attune {
DeviceInfo host_device_info(int threads);

// Returns the bytes that processes can still take without swapping.
std::uint64_t available_memory();
}  // namespace attune
