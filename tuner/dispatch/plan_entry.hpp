// PlanEntry: what is known of one problem of a kernel: the plan that serves it at present, and what a launch needs to
// know of that plan. Readers take no lock.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <semaphore>
#include <span>

#include "attune/policy.hpp"
#include "dispatch/plan_parts.hpp"
#include "dispatch/problem_key.hpp"
#include "kernel/ladder.hpp"

namespace attune {

using PartsPointer = std::shared_ptr<const PlanParts>;

// A plan that requests find. Immutable until it is retired.
struct PublishedPlan {
  PartsPointer parts;
  std::uint64_t generation = 0;   // of the wisdom that it was made from
  std::int64_t ask_again_ns = 0;  // steady clock; from then on the problem is planned again. 0: never
  bool is_best = true;            // false: a better configuration is known, but its image is not loaded or cached
  bool has_failed = false;        // preparing the better one in the background failed
  // Of retired plans, which form a chain, so that retiring one needs no memory.
  mutable std::unique_ptr<const PublishedPlan> next_retired = nullptr;

  bool is_settled() const noexcept { return is_best && ask_again_ns == 0; }
};

class alignas(64) PlanEntry {
 public:
  explicit PlanEntry(const ProblemKey& of) : key(of) {}
  const ProblemKey key;

  // Call these in a LaunchSection, which keeps alive what they return.

  // Returns the block of a plan that requests of this policy may launch; null where the plan must be looked at first.
  const LaunchBlock* block_for(Policy policy) const noexcept {
    const std::uintptr_t block = block_.load(std::memory_order_acquire);
    if (policy == Policy::wait && (block & is_not_best) != 0) [[unlikely]]
      return nullptr;
    return reinterpret_cast<const LaunchBlock*>(block & ~is_not_best);
  }
  // Returns the plan that serves requests of this policy; null where the problem must be planned.
  const PublishedPlan* serving(Policy policy) const;
  // Returns the present plan, or null.
  const PublishedPlan* present() const noexcept { return present_.load(std::memory_order_acquire); }
  // Returns the memory that a launch reads besides the first two lines of this object.
  std::span<const std::byte> memory() const noexcept;

  // Says that the entry is used. Writes shared memory only once after each take_used(). Any thread.
  void mark() noexcept {
    if (!is_used_.load(std::memory_order_relaxed)) is_used_.store(true, std::memory_order_relaxed);
  }
  // Returns whether the entry was used since the last call. Any thread.
  bool take_used() noexcept { return is_used_.exchange(false, std::memory_order_relaxed); }
  bool is_used() const noexcept { return is_used_.load(std::memory_order_relaxed); }
  // Returns true once. Any thread.
  bool may_warn() noexcept { return !has_warned_.exchange(true); }
  // The lock of who looks for the best configuration. Any thread.
  void lock() { is_free_.acquire(); }
  void unlock() { is_free_.release(); }

  // Call these with the lock that all entries of a kernel share.

  // Makes `next` the present plan; null: none. Returns the former one, which launches may still read.
  std::unique_ptr<const PublishedPlan> replace(std::unique_ptr<const PublishedPlan> next) noexcept;
  bool is_awaited() const noexcept { return is_awaited_.load(std::memory_order_relaxed); }
  // Says whether the best configuration is being prepared in the background.
  void set_awaited(bool is_awaited) noexcept;
  // The only candidate that may be used, or null. It is set once.
  const GradedMatch* choice() const noexcept { return choice_.get(); }
  void choose(const GradedMatch& choice) { choice_ = std::make_unique<const GradedMatch>(choice); }

 private:
  void publish_block() noexcept;
  static constexpr std::uintptr_t is_not_best = 1;  // beside the address of a block, which begins a line of the cache
  // The block of the present plan, if that is the best, or the best is awaited.
  std::atomic<std::uintptr_t> block_{0};
  std::atomic<const PublishedPlan*> present_{nullptr};
  std::atomic<bool> is_used_{false}, is_awaited_{false}, has_warned_{false};
  std::binary_semaphore is_free_{1};            // smaller than a mutex
  std::unique_ptr<const PublishedPlan> owner_;  // of the present plan
  std::unique_ptr<const GradedMatch> choice_;
};

static_assert(sizeof(PlanEntry) == 128);  // two lines of the cache

}  // namespace attune
