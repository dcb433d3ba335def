// The function that libattune_host.so exports to libattune.so, by a name that both know.
#pragma once

#include "device/host_hook.hpp"

// Returns the host device of the library; null if `version` is not the library's own.
extern "C" const attune::HostDeviceHook* attune_host_device(const char* version);

namespace attune {
using HostLibraryEntry = decltype(attune_host_device);
inline constexpr const char* host_library_entry = "attune_host_device";
}  // namespace attune
