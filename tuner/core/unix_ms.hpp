// The time of day as it is stored: Unix time, milliseconds.
#pragma once

#include <chrono>
#include <cstdint>

namespace attune {

inline std::int64_t unix_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

}  // namespace attune
