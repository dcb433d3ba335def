// Background: one thread for actions that need not be waited for. The thread starts with the first action. Any thread
// may add actions. The destructor waits for the action that runs and drops the others.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

namespace attune {

class Background {
 public:
  using Action = std::function<void()>;
  using Clock = std::chrono::steady_clock;
  Background() = default;
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;
  ~Background();

  // Takes an action, which must not throw. Throws Error when no thread can be started; the action is not taken then.
  void add(Action action);
  // Takes an action that runs at `when` or later. There is one such action at most: a further one replaces it. Throws
  // Error when no thread can be started.
  void set_later(Clock::time_point when, Action action);
  // Waits until no action of add() is left or under way.
  void wait();

 private:
  struct Later {
    Clock::time_point when;
    Action action;
  };
  void start();
  void changed();
  void run(const std::stop_token& stop);
  std::optional<Action> next();
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::uint64_t changes_ = 0;
  std::deque<Action> actions_;
  std::optional<Later> later_;
  bool is_busy_ = false;
  std::jthread thread_;  // last: it ends before what it uses
};

}  // namespace attune
