// The place where the host device registers itself, so that code without a link to it can open it. A program has the
// host device if it links attune::host_device, or libattune.so with libattune_host.so beside it.
#pragma once

#include <memory>
#include <string>

#include "device/device.hpp"

namespace attune {

struct HostDeviceHook {
  std::unique_ptr<Device> (*open)() = nullptr;
  std::shared_ptr<Compiler> (*make_compiler)() = nullptr;
  std::string (*additions)() = nullptr;  // of HostCompiler: host_additions(), for image_key()
};

// Returns the hook, which is set once, before main(). Its members are null in a program without the host device.
const HostDeviceHook& host_device_hook() noexcept;
void set_host_device(HostDeviceHook hook) noexcept;

}  // namespace attune
