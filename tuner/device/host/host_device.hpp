// The host device: the same kernel source really executed on the CPU, one fiber per CUDA thread. docs/host_device.md.
#pragma once

#include <memory>

#include "device/device.hpp"

namespace attune {

// Never fails for want of hardware; the C++ compiler is looked for at the first compile.
std::unique_ptr<Device> open_host_device();
std::shared_ptr<Compiler> make_host_compiler();

}  // namespace attune
