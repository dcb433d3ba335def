// Failures: turns exceptions into a status and the last error message of the thread. Any thread.
#pragma once

#include <cxxabi.h>

#include <string>
#include <utility>

#include "attune.h"
#include "base/uncancelled.hpp"

namespace attune::c_api {

// Returns the status of the exception that is being handled, and keeps its message for attune_last_error(). The message
// begins with `function`.
attune_status status_of_exception(const char* function) noexcept;

// Does `work`, which may throw. Every function of the interface that can fail is one call of this or of
// guarded_launch().
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

// The same for a launch, which is to be fast: a thread that is cancelled unwinds through it. What plans a problem on
// the way is not cancelled.
template <typename Work>
attune_status guarded_launch(const char* function, Work&& work) {
  try {
    std::forward<Work>(work)();
    return ATTUNE_OK;
  } catch (abi::__forced_unwind&) {
    throw;
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
