// Lets launches read, without a lock, what other threads may drop meanwhile. A LaunchSection marks a launch as under
// way on its thread. A GracePeriod tells when every launch that began before it has ended. Both cover all threads and
// all dispatchers of the process; any thread may use them.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

namespace attune {

// The mark of one thread. A slot outlives its thread, and then serves another thread.
struct alignas(64) LaunchSlot {
  std::atomic<std::uint64_t> turns{0};  // odd while the thread launches
  bool is_taken = false;                // guarded by the lock of all slots
};

class LaunchSection {
 public:
  // Begins a section. The first section of a thread takes a lock and may allocate; later ones write one word of the
  // thread's slot. A section inside another one is part of the outer section.
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

// Begins when it is made. Once it is over, no launch reads what was unpublished before it began.
class GracePeriod {
 public:
  // Returns whether the kernel has membarrier(2), without which no grace period ends.
  static bool can_end();
  GracePeriod() { begin(); }
  // Returns whether all launches have ended that were under way when it began. Does not wait.
  bool is_over();

 private:
  void begin();
  bool is_ordered_ = false;  // false: it lacked memory, and is_over() begins it again
  std::vector<std::pair<const LaunchSlot*, std::uint64_t>> launching_;  // slots with the `turns` that were seen
};

}  // namespace attune
