// GuardedMemory: an owned piece of device memory between guard bands, for what kernels write while they are tuned.
#pragma once

#include <cstddef>
#include <functional>
#include <utility>

#include "device/checks.hpp"
#include "device/memory.hpp"

namespace attune {

// The byte of guard bands. A kernel that reads past the end of an input meets 0xFF bytes, which are NaN or -1. Outputs
// have another byte, because a kernel that copies one element too many would otherwise replace a guard byte by an equal
// one, unseen.
enum class Guards : int { of_input = 0xFF, of_output = 0xA7 };

// Movable owner. The device and its tools must outlive it. Not thread-safe.
class GuardedMemory {
 public:
  // The size of each guard band; a multiple of 256, so that data() stays aligned.
  static constexpr std::size_t guard_bytes = 4096;

  GuardedMemory() = default;
  // Throws OutOfMemory, Error.
  GuardedMemory(Device& device, DataTools& tools, std::size_t bytes, Guards guards,
                MemoryPlace place = MemoryPlace::device);
  GuardedMemory(GuardedMemory&& other) noexcept { swap(other); }
  GuardedMemory& operator=(GuardedMemory&& other) noexcept {
    GuardedMemory moved(std::move(other));
    swap(moved);
    return *this;
  }
  ~GuardedMemory();

  void* data() const noexcept;
  std::size_t bytes() const noexcept { return bytes_; }

  // Writes the guard bands again.
  void arm_guards();
  // Adds the checks of both guard bands. `changed` makes a status of the offset of the first changed byte relative to
  // data() (negative: before it). This memory must stay where it is until they have run.
  void add_guards(Checks& checks, const std::function<Status(long long offset)>& changed) const;

 private:
  void fence() const;
  void swap(GuardedMemory& other) noexcept;
  Device* device_ = nullptr;
  DataTools* tools_ = nullptr;
  DeviceMemory memory_;  // with the bands
  std::size_t bytes_ = 0;
  Guards guards_ = Guards::of_input;
};

}  // namespace attune
