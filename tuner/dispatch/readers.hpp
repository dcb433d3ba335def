// Launches read what others may drop, without a lock. A LaunchSection says that a launch is under way on this thread; a
// GracePeriod says when every launch has ended that began before it. Of the process; any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

namespace attune {

// Of one thread: odd while it launches. It outlives its thread, and serves another one then.
struct alignas(64) LaunchSlot {
  std::atomic<std::uint64_t> turns{0};
  bool is_taken = false;  // under the lock of all slots
};

class LaunchSection {
 public:
  // The first section of a thread takes a lock and may allocate. Others write one word of their thread. A section
  // inside another is part of that.
  LaunchSection() : slot_(of_thread_ != nullptr ? of_thread_ : take_slot()) {
    const std::uint64_t turns = slot_->turns.load(std::memory_order_relaxed);
    if ((turns & 1) != 0) [[unlikely]] {
      slot_ = nullptr;
      return;
    }
    slot_->turns.store(turns + 1, std::memory_order_relaxed);
    // The processor may still read ahead of that store: GracePeriod has every processor finish its stores.
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  LaunchSection(const LaunchSection&) = delete;
  LaunchSection& operator=(const LaunchSection&) = delete;
  ~LaunchSection() {
    if (slot_ != nullptr) [[likely]]
      slot_->turns.store(slot_->turns.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

 private:
  friend struct SlotOwner;
  static LaunchSlot* take_slot();
  static thread_local constinit LaunchSlot* of_thread_;
  LaunchSlot* slot_;
};

// Begins when it is made. What was unpublished before that is read by no launch once it is over.
class GracePeriod {
 public:
  // Returns whether the kernel has membarrier(2), without which no grace period ends.
  static bool can_end();
  GracePeriod();
  // Waits for nothing.
  bool is_over();

 private:
  bool is_ordered_;
  std::vector<std::pair<const LaunchSlot*, std::uint64_t>> launching_;  // and the turn that was seen
};

}  // namespace attune
