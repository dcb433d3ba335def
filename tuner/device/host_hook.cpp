#include "device/host_hook.hpp"

namespace attune {
namespace {

constinit HostDeviceHook present;

}  // namespace

const HostDeviceHook& host_device_hook() noexcept { return present; }
void set_host_device(HostDeviceHook hook) noexcept { present = hook; }

}  // namespace attune
