// The time of day as it is stored: Unix time, milliseconds.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace attune {

inline std::int64_t unix_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

// In UTC, by a form of strftime: "%H:%M" gives "12:00". Dates that no calendar has are shown as numbers: "-5 ms".
std::string utc_text(std::int64_t unix_ms, const char* form);

}  // namespace attune
