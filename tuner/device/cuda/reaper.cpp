#include "device/cuda/reaper.hpp"

#include <chrono>
#include <cstdlib>

#include "base/await.hpp"
#include "base/start_thread.hpp"

namespace attune::cuda {
namespace {

constexpr std::chrono::seconds longest_end{2};

}  // namespace

Reaper& Reaper::of_process() {
  static Reaper* const reaper = [] {
    auto* const made = new Reaper;
    // Registered later than the driver's own handler, so it runs before that one.
    std::atexit([] { of_process().end(); });
    return made;
  }();
  return *reaper;
}

void Reaper::start() {
  const std::lock_guard lock(mutex_);
  if (thread_.joinable() || is_ending_) return;
  const BlockedSignals blocked;
  thread_ = start_thread<std::thread>([this] { run(); });
}

void Reaper::take(std::unique_ptr<ReaperItem> parting) noexcept {
  const std::lock_guard lock(mutex_);
  ReaperItem* const taken = parting.get();
  (first_ == nullptr ? first_ : last_->next) = std::move(parting);
  last_ = taken;
  changed_.notify_all();
}

void Reaper::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    await(changed_, lock, [this] { return is_ending_ || first_ != nullptr; });
    if (is_ending_) break;
    std::unique_ptr<ReaperItem> parting = std::move(first_);
    first_ = std::move(parting->next);
    lock.unlock();
    parting.reset();
    lock.lock();
  }
  has_ended_ = true;
  changed_.notify_all();
}

void Reaper::end() noexcept {
  std::unique_lock lock(mutex_);
  is_ending_ = true;
  changed_.notify_all();
  if (!thread_.joinable()) return;
  if (changed_.wait_for(lock, longest_end, [this] { return has_ended_; })) {
    lock.unlock();
    thread_.join();
  } else {
    thread_.detach();
  }
}

}  // namespace attune::cuda
