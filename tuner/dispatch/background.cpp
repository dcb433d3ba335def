#include "dispatch/background.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include "base/await.hpp"
#include "base/start_thread.hpp"

namespace attune {

struct Background::Queue {
  void run();
  void start();
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Action> actions;
  bool is_busy = false;
  bool ends = false;
  std::jthread thread;  // last: it ends before what it uses
};

// Cold functions are compiled for size: libattune.so is to stay small.
[[gnu::cold]] void Background::Queue::run() {
  std::unique_lock lock(mutex);
  for (;;) {
    await(changed, lock, [this] { return ends || !actions.empty(); });
    if (ends) return;
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
  thread = start_thread<std::jthread>([this] { run(); });
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
    queue_->ends = true;
    queue_->changed.notify_all();
  }
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
  await(queue_->changed, lock, [this] { return queue_->actions.empty() && !queue_->is_busy; });
}

}  // namespace attune
