// The host device: the same kernel source, executed on the CPU, one fiber per CUDA thread. docs/host_device.md.
#pragma once

#include <memory>

#include "device/device.hpp"

namespace attune {

class HostMemory;

// Opens the host device, on any hardware. The first compile looks for the C++ compiler.
std::unique_ptr<Device> open_host_device();
std::shared_ptr<Compiler> make_host_compiler();

// Returns the memory of a device that open_host_device() opened. Throws Error for another device.
HostMemory& memory_of(Device& device);

}  // namespace attune
