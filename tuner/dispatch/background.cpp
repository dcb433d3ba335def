#include "dispatch/background.hpp"

#include <utility>

#include "base/start_thread.hpp"

namespace attune {

Background::~Background() {
  {
    const std::lock_guard lock(mutex_);
    actions_.clear();
    later_.reset();
  }
  thread_.request_stop();
}

void Background::add(Action action) {
  const std::lock_guard lock(mutex_);
  start();
  actions_.push_back(std::move(action));
  changed();
}

void Background::set_later(Clock::time_point when, Action action) {
  const std::lock_guard lock(mutex_);
  start();
  later_ = Later{when, std::move(action)};
  changed();
}

void Background::start() {
  if (!thread_.joinable()) thread_ = start_thread<std::jthread>([this](const std::stop_token& stop) { run(stop); });
}

void Background::changed() {
  ++changes_;
  changed_.notify_all();
}

void Background::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return actions_.empty() && !is_busy_; });
}

// Jobs of add(), which wait() waits for, come before the later one.
std::optional<Background::Action> Background::next() {
  std::optional<Action> action;
  if (!actions_.empty()) {
    action = std::move(actions_.front());
    actions_.pop_front();
    is_busy_ = true;
  } else if (later_ && later_->when <= Clock::now()) {
    action = std::move(later_->action);
    later_.reset();
  }
  return action;
}

void Background::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    if (const std::optional<Action> action = next()) {
      lock.unlock();
      (*action)();
      lock.lock();
      is_busy_ = false;
      changed_.notify_all();
      continue;
    }
    const auto is_changed = [this, seen = changes_] { return changes_ != seen; };
    if (later_)
      changed_.wait_until(lock, stop, Clock::time_point(later_->when), is_changed);
    else
      changed_.wait(lock, stop, is_changed);
  }
}

}  // namespace attune
