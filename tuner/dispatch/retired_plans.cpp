#include "dispatch/retired_plans.hpp"

#include <algorithm>
#include <thread>

namespace attune {
namespace {

using Clock = std::chrono::steady_clock;

// Between two looks at whether launches have ended. A launch on the host device may last long.
constexpr std::chrono::nanoseconds first_pause = std::chrono::microseconds(10),
                                   longest_pause = std::chrono::milliseconds(10);

}  // namespace

// Cold functions are compiled for size: libattune.so is to stay small.
[[gnu::cold]] void RetiredPlans::add(std::shared_ptr<const void> plan) {
  const std::lock_guard lock(mutex_);
  plans_.push_back(std::move(plan));
  grace_.reset();
}

// Returns whether nothing is left. Unloading code waits for all work of its context; it spoils no capture, and does not
// hold up other threads.
[[gnu::cold]] bool RetiredPlans::free_unread() {
  std::vector<std::shared_ptr<const void>> freed;  // without the lock
  const std::lock_guard lock(mutex_);
  if (plans_.empty()) return true;
  if (!grace_) grace_.emplace();
  if (!grace_->is_over()) return false;
  freed.swap(plans_);
  return true;
}

[[gnu::cold]] void RetiredPlans::free(std::chrono::nanoseconds patience) {
  const Clock::time_point end = Clock::now() + patience;
  for (std::chrono::nanoseconds pause = first_pause; !free_unread() && Clock::now() < end;
       pause = std::min(2 * pause, longest_pause))
    std::this_thread::sleep_for(pause);
}

}  // namespace attune
