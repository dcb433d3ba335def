// DeviceMemory: an owned piece of device memory, optionally between guard bands.
#pragma once

#include <cstddef>
#include <functional>
#include <utility>

#include "device/checks.hpp"

namespace attune {

// The byte of guard bands. A kernel that reads past the end of an input meets 0xFF bytes, which are NaN or -1. Outputs
// have another byte, because a kernel that copies one element too many would otherwise replace a guard byte by an equal
// one, unseen.
enum class Guards : int { none = -1, of_input = 0xFF, of_output = 0xA7 };

enum class MemoryPlace { device, mapped };  // mapped: host memory, which the device accesses

// Movable owner. The Device must outlive it. Not thread-safe.
class DeviceMemory {
 public:
  // The size of each guard band; a multiple of 256, so that data() stays aligned.
  static constexpr std::size_t guard_bytes = 4096;

  DeviceMemory() = default;
  DeviceMemory(Device& device, std::size_t bytes, Guards guards = Guards::none,
               MemoryPlace place = MemoryPlace::device);
  DeviceMemory(DeviceMemory&& other) noexcept { swap(other); }
  DeviceMemory& operator=(DeviceMemory&& other) noexcept {
    DeviceMemory moved(std::move(other));
    swap(moved);
    return *this;
  }
  ~DeviceMemory();

  void* data() const noexcept { return data_; }
  std::size_t bytes() const noexcept { return bytes_; }

  // Writes the guard bands again. The memory must have them.
  void arm_guards();
  // Adds the checks of both guard bands. `changed` makes a status of the offset of the first changed byte relative to
  // data() (negative: before it). This memory must stay where it is until they have run.
  void add_guards(Checks& checks, const std::function<Status(long long offset)>& changed) const;

 private:
  void fence() const;
  void swap(DeviceMemory& other) noexcept;
  Device* device_ = nullptr;
  void* base_ = nullptr;
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
  Guards guards_ = Guards::none;
  MemoryPlace place_ = MemoryPlace::device;
};

}  // namespace attune
