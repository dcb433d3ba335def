// Failures: turns exceptions into a status and the last error message of the thread. Any thread.
#pragma once

#include <pthread.h>

#include <string>
#include <utility>

#include "attune.h"

namespace attune::c_api {

// Returns the status of the exception that is being handled, and keeps its message for attune_last_error(). The message
// begins with `function`.
attune_status status_of_exception(const char* function) noexcept;

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

// Does `work`, which may throw. Every function of the interface that can fail is one call of this.
template <typename Work>
attune_status guarded(const char* function, Work&& work) noexcept {
  const Uncancelled whole;
  try {
    std::forward<Work>(work)();
    return ATTUNE_OK;
  } catch (...) {
    return status_of_exception(function);
  }
}

// Throw UsageError that names `what` where the pointer is null.
void refuse_null(const void* pointer, const char* what);
std::string text_of(const char* text, const char* what);

// Sets an output to null, so that a caller who ignores a failure has no wild handle. Throws UsageError if `output` is
// null.
template <typename Handle>
Handle*& cleared(Handle** output, const char* what) {
  refuse_null(output, what);
  *output = nullptr;
  return *output;
}

}  // namespace attune::c_api
