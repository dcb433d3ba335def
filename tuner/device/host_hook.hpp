// Where the host device makes itself known. A program has it if it links attune::host_device, or libattune.so with
// libattune_host.so beside it.
#pragma once

#include <memory>
#include <string>

#include "device/device.hpp"

namespace attune {

struct HostDeviceHook {
  std::unique_ptr<Device> (*open)() = nullptr;
  std::shared_ptr<Compiler> (*make_compiler)() = nullptr;
  std::string (*additions)() = nullptr;  // what its compiler adds to every source: image_key()
};

// Set once, before main(). Returns null members in a program without the host device.
const HostDeviceHook& host_device_hook() noexcept;
void set_host_device(HostDeviceHook hook) noexcept;

}  // namespace attune
