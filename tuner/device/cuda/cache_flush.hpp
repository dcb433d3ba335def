// CacheFlush: pushes the data of kernels out of the L2 cache, ahead of a cold sample. One thread at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "device/device.hpp"

namespace attune::cuda {

// Returns the request for the kernels of the flush.
ImageRequest cache_flush_request(std::string architecture);

class CacheFlush {
 public:
  // The number of launches in a flush.
  static constexpr std::size_t launches = 3;

  // Allocates nothing before prepare(). The device must outlive it.
  CacheFlush(Device& device, std::size_t l2_bytes);
  CacheFlush(const CacheFlush&) = delete;
  CacheFlush& operator=(const CacheFlush&) = delete;
  ~CacheFlush();

  // Compiles and loads its kernels, and fills its memory, at the first call.
  Status prepare();
  // Returns the launches of a flush, in their order. prepare() must have succeeded. They read memory that nothing has
  // written since prepare(): 256 MiB, or five times the cache if that is more. A part of it, 4/3 of the cache, pushes
  // out the lines that are evicted last.
  std::span<const Operation> operations() const noexcept { return operations_; }

 private:
  // What a launch works on, and its parameters.
  struct FlushPart {
    FlushPart() = default;
    FlushPart(const FlushPart&) = delete;  // it points into itself
    FlushPart& operator=(const FlushPart&) = delete;

    char* memory = nullptr;
    std::uint64_t count = 0;  // chunks or lines
    unsigned never_found = 1;
    char* found = nullptr;
    std::array<void*, 4> parameters = {&memory, &count, &never_found, &found};
  };
  void make();

  Device& device_;
  const std::size_t claimed_bytes_, bytes_;
  std::shared_ptr<Module> module_;
  void* memory_ = nullptr;
  std::array<FlushPart, launches> parts_;
  std::array<Operation, launches> operations_;
};

}  // namespace attune::cuda
