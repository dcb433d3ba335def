// Holdings: the device memory that a dispatcher's code and scratch arrays take, and the epoch of their last use. The
// dispatcher and all plans and modules that it made share one Holdings, which may outlive the dispatcher. Any thread.
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

// The epoch in which something was used last. mark() writes shared memory only once an epoch.
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
  // Sets a function that is called after each growth, on the thread that caused it. When on_growth() returns, the
  // former function is not running any more.
  void on_growth(std::function<void()> grown);

  // Returns the module, whose bytes count as long as the result or a copy of it lives. Marks it as used in the present
  // epoch.
  std::shared_ptr<Module> hold(std::shared_ptr<Module> module, const Image& image);
  void mark(const Module& module);
  struct Code {
    std::uint64_t bytes = 0;
    Epoch used = 0;
  };
  Code code(const Module& module) const;  // zeros where it is not held
  std::uint64_t image_bytes() const noexcept { return image_bytes_.load(std::memory_order_relaxed); }

  // add(): counts new scratch memory of a plan. remove(): the plan with this scratch memory is about to be freed.
  // freed(): memory of take_unused() was freed.
  void add(StreamScratch& scratch, std::uint64_t bytes);
  void remove(StreamScratch& scratch, std::uint64_t bytes);
  void freed(std::uint64_t bytes) noexcept { scratch_bytes_.fetch_sub(bytes, std::memory_order_relaxed); }
  std::uint64_t scratch_bytes() const noexcept { return scratch_bytes_.load(std::memory_order_relaxed); }
  // Takes unused scratch memory from streams, the least recently used first, until no more than `most` bytes are left.
  // The taken bytes count until freed().
  std::vector<ScratchMemory> take_unused(std::uint64_t most);

 private:
  struct CountedModule;
  std::uint64_t forget(const Module& module);
  void grew();

  alignas(64) std::atomic<Epoch> epoch_{2};  // not 0, so that what was never used (epoch 0) is unused
  alignas(64) mutable std::mutex mutex_;     // guards the two lists
  std::unordered_map<const Module*, Code> code_;
  std::unordered_set<StreamScratch*> scratch_;
  std::atomic<std::uint64_t> image_bytes_{0}, scratch_bytes_{0};
  std::mutex grown_mutex_;
  std::function<void()> grown_;
};

}  // namespace attune
