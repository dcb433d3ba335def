#include "dispatch/retired_plans.hpp"

#include <algorithm>
#include <new>
#include <thread>
#include <utility>

namespace attune {
namespace {

using Clock = std::chrono::steady_clock;

// Between two looks at whether launches have ended. A launch on the host device may last long.
constexpr std::chrono::nanoseconds first_pause = std::chrono::microseconds(10),
                                   longest_pause = std::chrono::milliseconds(10);

// One after the other: a chain may have a million plans.
[[gnu::cold]] void free_chain(std::unique_ptr<const PublishedPlan> first) noexcept {
  while (first != nullptr) first = std::move(first->next_retired);
}

}  // namespace

// Cold functions are compiled for size: libattune.so is to stay small.
[[gnu::cold]] RetiredPlans::~RetiredPlans() { free_chain(std::move(first_)); }

[[gnu::cold]] void RetiredPlans::add(std::unique_ptr<const PublishedPlan> plan) noexcept {
  const std::lock_guard lock(mutex_);
  plan->next_retired = std::move(first_);
  first_ = std::move(plan);
  grace_.reset();
}

// Returns whether nothing is left. Unloading code waits for all work of its context; it spoils no capture, and does not
// hold up other threads.
[[gnu::cold]] bool RetiredPlans::free_unread() {
  std::unique_ptr<const PublishedPlan> freed;
  {
    const std::lock_guard lock(mutex_);
    if (first_ == nullptr) return true;
    if (!grace_) grace_.emplace();
    if (!grace_->is_over()) return false;
    freed = std::move(first_);
  }
  free_chain(std::move(freed));
  return true;
}

[[gnu::cold]] void RetiredPlans::free(std::chrono::nanoseconds patience) noexcept try {
  const Clock::time_point end = Clock::now() + patience;
  for (std::chrono::nanoseconds pause = first_pause; !free_unread() && Clock::now() < end;
       pause = std::min(2 * pause, longest_pause))
    std::this_thread::sleep_for(pause);
} catch (const std::bad_alloc&) {  // no memory for a grace period: a later call frees
}

}  // namespace attune
