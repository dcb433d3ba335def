// Waiting for another process: tells the user about the wait, and lets a signal end it.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <string>

#include "attune/error.hpp"

namespace attune {

// A signal ended a wait.
class WaitInterrupted : public Error {
 public:
  using Error::Error;
};

using WaitNote = std::function<void(const std::string& text)>;

// One wait. Belongs to one thread.
class Wait {
 public:
  using Clock = std::chrono::steady_clock;

  // `what`: "another tuner on this device". If `stop` is not null, the wait ends once it has counted to `ends_at`.
  Wait(std::string what, const std::atomic<int>* stop, int ends_at)
      : what_(std::move(what)), stop_(stop), ends_at_(ends_at) {}

  // To be called repeatedly during the wait. After a second, passes "waiting for WHAT" to `note` once, unless `note` is
  // empty. Throws WaitInterrupted when the wait has to end.
  void go_on(const WaitNote& note) {
    if (stop_ != nullptr && stop_->load() >= ends_at_)
      throw WaitInterrupted("interrupted while it waited for " + what_);
    if (is_noted_ || !note || waited() < note_after) return;
    is_noted_ = true;
    note("waiting for " + what_);
  }
  std::chrono::duration<double> waited() const { return Clock::now() - begin_; }
  bool is_noted() const noexcept { return is_noted_; }

 private:
  // Shorter waits are not reported, because tuners and writers take turns all the time.
  static constexpr std::chrono::seconds note_after{1};

  const std::string what_;
  const std::atomic<int>* const stop_;
  const int ends_at_;
  const Clock::time_point begin_ = Clock::now();
  bool is_noted_ = false;
};

}  // namespace attune
