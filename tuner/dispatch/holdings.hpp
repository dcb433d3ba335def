// Holdings: the device memory that a dispatcher's code and scratch arrays take, and the epoch of their last use. All
// that the dispatcher made shares it, and may outlive the dispatcher. Any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "device/device.hpp"
#include "dispatch/scratch_memory.hpp"

namespace attune {

class StreamScratch;

using Epoch = std::uint32_t;

// An epoch in which something was used last. Marking costs a shared write once an epoch.
class LastUse {
 public:
  void mark(Epoch present) noexcept {
    if (used_.load(std::memory_order_relaxed) != present) used_.store(present, std::memory_order_relaxed);
  }
  Epoch epoch() const noexcept { return used_.load(std::memory_order_relaxed); }

 private:
  std::atomic<Epoch> used_{0};
};

// Returns whether something that was used last in `used` was not used in the present epoch, nor in the one before.
constexpr bool is_unused(Epoch used, Epoch present) noexcept { return used + 2 <= present; }

class Holdings : public std::enable_shared_from_this<Holdings> {
 public:
  Epoch epoch() const noexcept { return epoch_.load(std::memory_order_relaxed); }
  void begin_epoch() noexcept { epoch_.fetch_add(1, std::memory_order_relaxed); }
  // Called after each growth, on the thread that it is of. Once it is replaced, the former one is not running.
  void on_growth(std::function<void()> grown);

  // Returns the module, counted as long as the result or a copy lives. It is used in the present epoch.
  std::shared_ptr<Module> hold(std::shared_ptr<Module> module, const Image& image);
  void mark(const Module& module);
  struct Code {
    std::uint64_t bytes = 0;
    Epoch used = 0;
  };
  Code code(const Module& module) const;  // zeros where it is not held
  std::uint64_t image_bytes() const noexcept { return image_bytes_.load(std::memory_order_relaxed); }

  // A plan's scratch memory grew; is about to be freed with its plan; was freed after it was taken.
  void add(StreamScratch& scratch, std::uint64_t bytes);
  void remove(StreamScratch& scratch, std::uint64_t bytes);
  void freed(std::uint64_t bytes) noexcept { scratch_bytes_.fetch_sub(bytes, std::memory_order_relaxed); }
  std::uint64_t scratch_bytes() const noexcept { return scratch_bytes_.load(std::memory_order_relaxed); }
  // Takes memory of streams that is unused, the least recently used first, until no more than `most` bytes are left.
  // They count until freed().
  std::vector<ScratchMemory> take_unused(std::uint64_t most);

 private:
  struct Counted;
  std::uint64_t forget(const Module& module);
  void grew();

  alignas(64) std::atomic<Epoch> epoch_{2};  // what was never used is unused
  alignas(64) mutable std::mutex mutex_;     // of the two lists
  std::unordered_map<const Module*, Code> code_;
  std::unordered_set<StreamScratch*> scratch_;
  std::atomic<std::uint64_t> image_bytes_{0}, scratch_bytes_{0};
  std::mutex grown_mutex_;
  std::function<void()> grown_;
};

}  // namespace attune
