// HostMemory: the arrays of the host device. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>

namespace attune {

class HostMemory {
 public:
  explicit HostMemory(std::uint64_t machine_bytes) : machine_bytes_(machine_bytes) {}

  // Throws OutOfMemory.
  void* allocate(std::size_t bytes);
  void free(void* array) noexcept;
  // Memory is taken at the first write, so allocated memory may still count as available.
  std::uint64_t free_bytes();
  // Drops the lines of all arrays from the caches. Returns false, and drops nothing, where that cannot be done or the
  // arrays have more bytes than `most`.
  bool drop_from_caches(std::uint64_t most);

 private:
  [[noreturn]] void refuse(std::size_t bytes);

  const std::uint64_t machine_bytes_;
  std::mutex mutex_;
  std::unordered_map<void*, std::uint64_t> sizes_;
  std::uint64_t allocated_ = 0;
};

}  // namespace attune
