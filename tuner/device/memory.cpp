#include "device/memory.hpp"

#include <limits>

namespace attune {

DeviceMemory::DeviceMemory(Device& device, std::size_t bytes, Guards guards, MemoryPlace place)
    : device_(&device), bytes_(bytes), guards_(guards), place_(place) {
  constexpr std::size_t alignment = 256;
  // The upper band begins right after the last byte: an overrun by one element is detected.
  const bool guarded = guards != Guards::none;
  const std::size_t bands = guarded ? 2 * guard_bytes + alignment : 0;
  if (bytes > std::numeric_limits<std::size_t>::max() - bands)
    throw OutOfMemory("an array larger than the address space");
  base_ = place == MemoryPlace::mapped ? device.allocate_mapped(bytes + bands) : device.allocate(bytes + bands);
  data_ = static_cast<std::byte*>(base_) + (guarded ? guard_bytes : 0);
}

DeviceMemory::~DeviceMemory() {
  if (base_ == nullptr) return;
  device_->unfence(data_);
  if (place_ == MemoryPlace::mapped)
    device_->free_mapped(base_);
  else
    device_->free(base_);
}

void DeviceMemory::arm_guards() {
  device_->unfence(data_);
  Operation band;
  band.kind = Operation::Kind::memset;
  band.bytes = guard_bytes;
  band.value = static_cast<int>(guards_);
  for (void* const target : {base_, static_cast<void*>(static_cast<std::byte*>(data_) + bytes_)}) {
    band.target = target;
    const Status status = device_->enqueue(band, nullptr);
    if (!status.ok()) throw Error("cannot write guard bands: " + status.detail);
  }
  fence();
}

// Under AddressSanitizer only DeviceMemory's own functions may touch the bands.
void DeviceMemory::fence() const { device_->fence(data_, bytes_, guard_bytes, guard_bytes); }

void DeviceMemory::add_guards(Checks& checks, const std::function<Status(long long)>& changed) const {
  device_->unfence(data_);
  const auto* const upper = static_cast<const std::byte*>(data_) + bytes_;
  const int value = static_cast<int>(guards_);
  checks.add(CountOtherBytes{base_, guard_bytes, value}, [changed](const Found& found) {
    const auto offset = static_cast<long long>(found.first) - static_cast<long long>(guard_bytes);
    return found.count == 0 ? Status{} : changed(offset);
  });
  checks.add(CountOtherBytes{upper, guard_bytes, value}, [this, changed](const Found& found) {
    fence();
    return found.count == 0 ? Status{} : changed(static_cast<long long>(bytes_ + found.first));
  });
}

void DeviceMemory::swap(DeviceMemory& other) noexcept {
  std::swap(device_, other.device_);
  std::swap(base_, other.base_);
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(guards_, other.guards_);
  std::swap(place_, other.place_);
}

}  // namespace attune
