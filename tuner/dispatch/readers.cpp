#include "dispatch/readers.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <mutex>

namespace attune {
namespace {

bool membarrier(int command) noexcept { return syscall(SYS_membarrier, command, 0, 0) == 0; }

// The slots of all threads, as many as ever launched at one time. They are never freed, because threads may end after
// everything else.
class ReaderSlots {
 public:
  static ReaderSlots& of_process() {
    static ReaderSlots* const slots = new ReaderSlots;
    return *slots;
  }
  LaunchSlot& take() {
    const std::lock_guard lock(mutex_);
    const auto unused = std::ranges::find(slots_, false, [](const auto& slot) { return slot->is_taken; });
    LaunchSlot& slot = unused != slots_.end() ? **unused : *slots_.emplace_back(std::make_unique<LaunchSlot>());
    slot.is_taken = true;
    return slot;
  }
  void give_back(LaunchSlot& slot) noexcept {
    const std::lock_guard lock(mutex_);
    slot.is_taken = false;
  }
  template <typename Visit>
  void for_each(const Visit& visit) {
    const std::lock_guard lock(mutex_);
    for (const auto& slot : slots_) visit(*slot);
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<LaunchSlot>> slots_;
};

}  // namespace

thread_local constinit LaunchSlot* LaunchSection::of_thread_ = nullptr;

// Gives a thread's slot back when the thread ends. If the thread launches after that, from the destructor of another
// object, it takes a slot for good.
struct SlotOwner {
  LaunchSlot* slot = nullptr;
  ~SlotOwner() {
    if (slot != nullptr) ReaderSlots::of_process().give_back(*slot);
    LaunchSection::of_thread_ = nullptr;
    has_ended = true;
  }
  static thread_local constinit bool has_ended;
};
thread_local constinit bool SlotOwner::has_ended = false;

LaunchSlot* LaunchSection::take_slot() {
  of_thread_ = &ReaderSlots::of_process().take();
  if (!SlotOwner::has_ended) {
    thread_local SlotOwner owner;
    owner.slot = of_thread_;
  }
  return of_thread_;
}

bool GracePeriod::can_end() {
  static const bool is_registered = membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
  return is_registered;
}

// After the barrier, the odd turn of every launch that read before it is visible. A launch that reads after the barrier
// finds what was published last; so does a thread that takes its slot after the list was read.
void GracePeriod::begin() {
  if (!can_end() || !membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED)) return;
  launching_.clear();
  ReaderSlots::of_process().for_each([this](const LaunchSlot& slot) {
    const std::uint64_t turns = slot.turns.load(std::memory_order_acquire);
    if ((turns & 1) != 0) launching_.emplace_back(&slot, turns);
  });
  is_ordered_ = true;
}

bool GracePeriod::is_over() {
  if (!is_ordered_) begin();
  std::erase_if(launching_,
                [](const auto& seen) { return seen.first->turns.load(std::memory_order_acquire) != seen.second; });
  return is_ordered_ && launching_.empty();
}

}  // namespace attune
