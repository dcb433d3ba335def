// Protects a program from the signal of a write that fails, so that the write gives an error alone: SIGPIPE of a worker
// that died, SIGXFSZ of a limit of file sizes (`ulimit -f`).
#pragma once

#include <signal.h>

namespace attune {

// While this object lives, blocks the signal on its thread and on the threads that this thread starts.
class QuietSignal {
 public:
  explicit QuietSignal(int signal) noexcept;
  ~QuietSignal();
  QuietSignal(const QuietSignal&) = delete;
  QuietSignal& operator=(const QuietSignal&) = delete;

 private:
  sigset_t blocked_{}, before_{};
  bool was_pending_;
};

}  // namespace attune
