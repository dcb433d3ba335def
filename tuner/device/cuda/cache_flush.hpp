// CacheFlush: empties the L2 cache of what kernels use, ahead of a cold sample. Owned by a CudaDevice; one thread at a
// time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "device/device.hpp"

namespace attune::cuda {

// Returns what the flush compiles.
ImageRequest cache_flush_request(std::string architecture);

class CacheFlush {
 public:
  // Allocates nothing before prepare(). The device must outlive it.
  CacheFlush(Device& device, std::size_t l2_bytes);
  CacheFlush(const CacheFlush&) = delete;
  CacheFlush& operator=(const CacheFlush&) = delete;
  ~CacheFlush();

  // Compiles and loads its kernel, and fills its memory, at the first call.
  Status prepare();
  // Needs prepare(). Reads the larger of 256 MiB and four times the cache, which nothing has written since prepare().
  const Operation& operation() const noexcept { return operation_; }

 private:
  void make();

  Device& device_;
  const std::size_t bytes_;
  std::shared_ptr<Module> module_;
  void* memory_ = nullptr;
  // Parameters of the kernel.
  std::uint64_t chunks_ = 0;
  unsigned never_found_ = 1;
  void* found_ = nullptr;
  void* parameters_[4] = {&memory_, &chunks_, &never_found_, &found_};
  Operation operation_;
};

}  // namespace attune::cuda
