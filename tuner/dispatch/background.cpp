#include "dispatch/background.hpp"

#include <utility>

#include "base/start_thread.hpp"

namespace attune {

Background::~Background() {
  {
    const std::lock_guard lock(mutex_);
    jobs_.clear();
    later_.reset();
  }
  thread_.request_stop();
}

void Background::add(Job job) {
  const std::lock_guard lock(mutex_);
  start();
  jobs_.push_back(std::move(job));
  changed();
}

void Background::set_later(Clock::time_point when, Job job) {
  const std::lock_guard lock(mutex_);
  start();
  later_ = Later{when, std::move(job)};
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
  changed_.wait(lock, [this] { return jobs_.empty() && !is_busy_; });
}

// Jobs of add(), which wait() waits for, come before the later one.
std::optional<Background::Job> Background::next() {
  std::optional<Job> job;
  if (!jobs_.empty()) {
    job = std::move(jobs_.front());
    jobs_.pop_front();
    is_busy_ = true;
  } else if (later_ && later_->when <= Clock::now()) {
    job = std::move(later_->job);
    later_.reset();
  }
  return job;
}

void Background::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    if (const std::optional<Job> job = next()) {
      lock.unlock();
      (*job)();
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
