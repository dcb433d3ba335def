#include "device/host/host_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "attune/error.hpp"
#include "device/host/cache_lines.hpp"
#include "device/host/host_info.hpp"

namespace attune {
namespace {

constexpr std::size_t alignment = 256;

// From this size on, an allocation is compared with the free memory, because Linux grants any size and kills the
// process when it writes.
constexpr std::size_t large_bytes = 64 << 20;

}  // namespace

void* HostMemory::allocate(std::size_t bytes) {
  if (bytes > machine_bytes_) refuse(bytes);
  const std::size_t rounded = (std::max<std::size_t>(bytes, 1) + alignment - 1) / alignment * alignment;
  if (rounded >= large_bytes && rounded > free_bytes()) refuse(bytes);
  void* const array = std::aligned_alloc(alignment, rounded);
  if (array == nullptr) refuse(bytes);
  const std::lock_guard lock(mutex_);
  sizes_[array] = rounded;
  allocated_ += rounded;
  return array;
}

void HostMemory::free(void* array) noexcept {
  if (array == nullptr) return;
  {
    const std::lock_guard lock(mutex_);
    const auto found = sizes_.find(array);
    if (found == sizes_.end()) return;
    allocated_ -= found->second;
    sizes_.erase(found);
  }
  std::free(array);
}

std::uint64_t HostMemory::free_bytes() {
  const std::lock_guard lock(mutex_);
  return std::min(machine_bytes_ - std::min(machine_bytes_, allocated_), available_memory());
}

bool HostMemory::drop_from_caches(std::uint64_t most) {
  const std::lock_guard lock(mutex_);
  if (!can_drop_lines() || allocated_ > most) return false;
  for (const auto& [array, bytes] : sizes_) drop_lines(array, bytes);
  return true;
}

void HostMemory::refuse(std::size_t bytes) {
  throw OutOfMemory(fmt::format("host device: no room for {} bytes ({} free of {} in the machine)", bytes, free_bytes(),
                                machine_bytes_));
}

}  // namespace attune
