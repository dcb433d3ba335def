// Loads a shared object of compiled kernels.
#pragma once

#include "device/device.hpp"
#include "device/host/kernel_call.hpp"

namespace attune {

struct HostFunction {
  void (*entry)(void** parameters) = nullptr;
  attune_host::Thread** (*current_slot)() = nullptr;
  const char* expression = "";  // as requested; lives as long as the module
};

LoadOutcome load_host_module(const Image& image, const DeviceInfo& info);

}  // namespace attune
