#include "device/memory.hpp"

namespace attune {

DeviceMemory::DeviceMemory(Device& device, std::size_t bytes, MemoryPlace place)
    : device_(&device), bytes_(bytes), place_(place) {
  data_ = place == MemoryPlace::mapped ? device.allocate_mapped(bytes) : device.allocate(bytes);
}

DeviceMemory::~DeviceMemory() {
  if (data_ == nullptr) return;
  if (place_ == MemoryPlace::mapped)
    device_->free_mapped(data_);
  else
    device_->free(data_);
}

void DeviceMemory::swap(DeviceMemory& other) noexcept {
  std::swap(device_, other.device_);
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(place_, other.place_);
}

}  // namespace attune
