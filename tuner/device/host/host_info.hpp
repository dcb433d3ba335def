// What is known of this machine as a host device.
#pragma once

#include <cstdint>

#include "attune/device_info.hpp"

namespace attune {
// `threads`: OS threads that blocks are spread over.
DeviceInfo host_device_info(int threads);

// Bytes that processes can still take without swapping.
std::uint64_t available_memory();
}  // namespace attune
