// KernelCall: one launch on the host device, for the executor. A plain value; its pointers must outlive it.
#pragma once

#include <cstdint>

#include "device/host/include/abi.hpp"
#include "kernel/instantiate.hpp"

namespace attune {

struct KernelCall {
  void (*entry)(void** parameters) = nullptr;
  attune_host::Thread** (*current_slot)() = nullptr;  // the object's pointer to the running thread, per OS thread
  void** parameters = nullptr;
  LaunchShape shape;
  const char* expression = "";  // the entry as written in the kernel file, instantiated

  std::uint64_t blocks() const noexcept { return shape.blocks(); }
  unsigned threads() const noexcept { return shape.block[0] * shape.block[1] * shape.block[2]; }
};

// Returns the functions that kernels call back.
const attune_host::Runtime& host_runtime() noexcept;

}  // namespace attune
