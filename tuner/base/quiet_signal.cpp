#include "base/quiet_signal.hpp"

#include <pthread.h>
#include <time.h>

namespace attune {

QuietSignal::QuietSignal(int signal) noexcept {
  sigset_t pending;
  sigpending(&pending);
  was_pending_ = sigismember(&pending, signal) == 1;
  sigemptyset(&blocked_);
  sigaddset(&blocked_, signal);
  pthread_sigmask(SIG_BLOCK, &blocked_, &before_);
}

QuietSignal::~QuietSignal() {
  const timespec at_once{};
  if (!was_pending_)
    while (sigtimedwait(&blocked_, nullptr, &at_once) > 0) {
    }
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace attune
