// Background: one thread for actions that need not be waited for. The thread starts with the first action. Any thread
// may add actions. The destructor waits for the action that runs and drops the others. In a process that was forked
// since, there is no such thread: actions are not run, and nothing is waited for.
#pragma once

#include <unistd.h>

#include <functional>
#include <memory>

namespace attune {

class Background {
 public:
  using Action = std::function<void()>;
  Background();
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;
  ~Background();

  // Takes an action, which must not throw. Throws Error when no thread can be started; the action is not taken then.
  void add(Action action);
  // Waits until no action is left or under way. An action that calls this does not wait.
  void wait();

 private:
  struct Queue;
  bool is_forked() const noexcept { return getpid() != process_; }
  const pid_t process_ = getpid();
  std::unique_ptr<Queue> queue_;
};

}  // namespace attune
