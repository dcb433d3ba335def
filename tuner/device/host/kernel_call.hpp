// KernelCall: one launch on the host device, as the executor sees it. A plain value; what it points to outlives it.
#pragma once

#include <cstdint>

#include "kernel/instantiate.hpp"
#include "device/host/include/abi.hpp"

namespace attune {

struct KernelCall {
  void (*entry)(void** parameters) = nullptr;
  attune_host::Thread** (*current_slot)() = nullptr;  // of the object that holds the entry, for the calling OS thread
  void** parameters = nullptr;
  LaunchShape shape;
  const char* expression = "";  // the entry as the kernel file says it, instantiated

  std::uint64_t blocks() const noexcept { return std::uint64_t{shape.grid[0]} * shape.grid[1] * shape.grid[2]; }
  unsigned threads() const noexcept { return shape.block[0] * shape.block[1] * shape.block[2]; }
};

// The functions that kernels call back into.
const attune_host::Runtime& host_runtime() noexcept;

}  // namespace attune
