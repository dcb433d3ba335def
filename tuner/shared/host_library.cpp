// libattune_host.so: the host device for programs on libattune.so.
#include "shared/host_library.hpp"

#include <string_view>

#include "attune/version.hpp"

const attune::HostDeviceHook* attune_host_device(const char* version) {
  return std::string_view(version) == attune::library_version ? &attune::host_device_hook() : nullptr;
}
