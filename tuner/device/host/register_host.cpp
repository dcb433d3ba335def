// Makes the host device known to a program that links it.
#include "device/host/host_compiler.hpp"
#include "device/host/host_device.hpp"
#include "device/host_hook.hpp"

// What the linker is asked for, so that it takes this object.
extern "C" const int attune_host_device_is_linked;
const int attune_host_device_is_linked = 1;

namespace attune {
namespace {

[[maybe_unused]] const bool is_known = (set_host_device({open_host_device, make_host_compiler, host_additions}), true);

}  // namespace
}  // namespace attune
