#include "dispatch/background.hpp"

#include <utility>

namespace attune {

Background::~Background() {
  {
    const std::lock_guard lock(mutex_);
    jobs_.clear();
  }
  thread_.request_stop();
}

void Background::add(Job job) {
  const std::lock_guard lock(mutex_);
  jobs_.push_back(std::move(job));
  if (!thread_.joinable()) thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  changed_.notify_all();
}

void Background::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return jobs_.empty() && !is_busy_; });
}

void Background::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [this] { return !jobs_.empty(); })) {
    const Job job = std::move(jobs_.front());
    jobs_.pop_front();
    is_busy_ = true;
    lock.unlock();
    job();
    lock.lock();
    is_busy_ = false;
    changed_.notify_all();
  }
}

}  // namespace attune
