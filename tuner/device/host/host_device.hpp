// The host device: the same kernel source, executed on the CPU, one fiber per CUDA thread. docs/host_device.md.
#pragma once

#include <memory>

#include "device/device.hpp"

namespace attune {

// Opens the host device, on any hardware. The first compile looks for the C++ compiler.
std::unique_ptr<Device> open_host_device();
std::shared_ptr<Compiler> make_host_compiler();

}  // namespace attune
