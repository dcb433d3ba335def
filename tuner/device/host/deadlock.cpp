// The message for a deadlock of a block's threads.
#include <fmt/format.h>

#include <bit>
#include <string_view>

#include "device/host/block_runner.hpp"

namespace attune {

std::string BlockRunner::thread_text(unsigned thread) const {
  const auto& block = call_.shape.block;
  return fmt::format("thread ({},{},{})", thread % block[0], thread / block[0] % block[1],
                     thread / block[0] / block[1]);
}

std::string BlockRunner::block_text() const {
  return fmt::format("block ({},{},{})", next_.block_index.x, next_.block_index.y, next_.block_index.z);
}

std::string BlockRunner::running_text() const {
  return running_ == nullptr ? block_text() : block_text() + ", " + thread_text(running_->thread);
}

std::string BlockRunner::waits_text(const Fiber& fiber) const {
  const std::string waiter = thread_text(fiber.thread);
  if (fiber.wait == FiberWait::barrier) return fmt::format("{} waits at {}", waiter, barrier_);
  return fmt::format("{} waits at {} (mask {:#010x})", waiter, fiber.intrinsic, fiber.mask);
}

// Every thread that has not exited waits. Lanes at a warp intrinsic are reported first, because they may be all that
// threads at a barrier wait for.
std::string BlockRunner::deadlock_text() const {
  for (unsigned thread = 0; thread < threads_; ++thread) {
    const Fiber* const waiting = fiber_of_[thread];
    if (waiting == nullptr || waiting->wait != FiberWait::warp) continue;
    const unsigned first = thread / warp_lanes * warp_lanes;
    for (unsigned lanes = waiting->mask; lanes != 0; lanes &= lanes - 1) {
      const Fiber* const other = fiber_of_[first + static_cast<unsigned>(std::countr_zero(lanes))];
      if (other == nullptr) continue;  // exited
      const bool met = other->wait == FiberWait::warp && other->mask == waiting->mask &&
                       std::string_view(other->intrinsic) == waiting->intrinsic;
      if (met) continue;
      const std::string reached =
          arrived_ > 0 ? fmt::format("; {} reached by {} of {} threads", barrier_, arrived_, live_) : "";
      return fmt::format("{}: {}, but {}{}", block_text(), waits_text(*waiting), waits_text(*other), reached);
    }
  }
  return fmt::format("{}: {} reached by {} of {} threads", block_text(), barrier_, arrived_, live_);
}

}  // namespace attune
