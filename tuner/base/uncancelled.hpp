// Uncancelled: keeps a thread from being cancelled (pthread_cancel) where that would end the process.
#pragma once

#include <pthread.h>

namespace attune {

// While it lives, a cancellation of its thread (pthread_cancel) is pending. Unwinding would end the process at the
// first function that is noexcept.
class Uncancelled {
 public:
  Uncancelled() noexcept { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~Uncancelled() { pthread_setcancelstate(before_, nullptr); }
  Uncancelled(const Uncancelled&) = delete;
  Uncancelled& operator=(const Uncancelled&) = delete;

 private:
  int before_ = PTHREAD_CANCEL_ENABLE;
};

}  // namespace attune
