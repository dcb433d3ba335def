#include "dispatch/background.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

#include "base/start_thread.hpp"

namespace attune {

struct Background::Queue {
  void run(const std::stop_token& stop);
  void start();
  std::mutex mutex;
  std::condition_variable_any changed;
  std::deque<Action> actions;
  bool is_busy = false;
  std::jthread thread;  // last: it ends before what it uses
};

// Cold functions are compiled for size: libattune.so is to stay small.
[[gnu::cold]] void Background::Queue::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex);
  while (changed.wait(lock, stop, [this] { return !actions.empty(); }) && !stop.stop_requested()) {
    const Action action = std::move(actions.front());
    actions.pop_front();
    is_busy = true;
    lock.unlock();
    action();
    lock.lock();
    is_busy = false;
    changed.notify_all();
  }
}

[[gnu::cold]] void Background::Queue::start() {
  if (thread.joinable()) return;
  const BlockedSignals blocked;
  thread = start_thread<std::jthread>([this](const std::stop_token& stop) { run(stop); });
}

Background::Background() : queue_(std::make_unique<Queue>()) {}

// Neither a thread nor a condition of another process can be ended, so they are left alone.
[[gnu::cold]] Background::~Background() {
  if (is_forked()) {
    static_cast<void>(queue_.release());
    return;
  }
  {
    const std::lock_guard lock(queue_->mutex);
    queue_->actions.clear();
  }
  queue_->thread.request_stop();
}

[[gnu::cold]] void Background::add(Action action) {
  if (is_forked()) return;
  const std::lock_guard lock(queue_->mutex);
  queue_->start();
  queue_->actions.push_back(std::move(action));
  queue_->changed.notify_all();
}

[[gnu::cold]] void Background::wait() {
  if (is_forked()) return;
  std::unique_lock lock(queue_->mutex);
  if (std::this_thread::get_id() == queue_->thread.get_id()) return;
  queue_->changed.wait(lock, [this] { return queue_->actions.empty() && !queue_->is_busy; });
}

}  // namespace attune
