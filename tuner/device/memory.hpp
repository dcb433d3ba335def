// DeviceMemory: an owned piece of device memory.
#pragma once

#include <cstddef>
#include <utility>

#include "device/device.hpp"

namespace attune {

enum class MemoryPlace { device, mapped };  // mapped: host memory, which the device accesses

// Movable owner. The Device must outlive it. Not thread-safe.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  // Throws OutOfMemory, Error.
  DeviceMemory(Device& device, std::size_t bytes, MemoryPlace place = MemoryPlace::device);
  DeviceMemory(DeviceMemory&& other) noexcept { swap(other); }
  DeviceMemory& operator=(DeviceMemory&& other) noexcept {
    DeviceMemory moved(std::move(other));
    swap(moved);
    return *this;
  }
  ~DeviceMemory();

  void* data() const noexcept { return data_; }
  std::size_t bytes() const noexcept { return bytes_; }

 private:
  void swap(DeviceMemory& other) noexcept;
  Device* device_ = nullptr;
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
  MemoryPlace place_ = MemoryPlace::device;
};

}  // namespace attune
