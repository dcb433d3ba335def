// What libattune_host.so gives to libattune.so, by a name that both know.
#pragma once

#include "device/host_hook.hpp"

// Returns the host device of the library; null if its version is another one.
extern "C" const attune::HostDeviceHook* attune_host_device(const char* version);

namespace attune {
using HostLibraryEntry = decltype(attune_host_device);
inline constexpr const char* host_library_entry = "attune_host_device";
}  // namespace attune
