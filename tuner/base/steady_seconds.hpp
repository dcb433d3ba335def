#pragma once

#include <chrono>

namespace attune {

// Returns the time of a clock that never goes back, in seconds. Thread-safe.
inline double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace attune
