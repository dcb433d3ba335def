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

// Returns the time in UTC, in a format of strftime: "%H:%M" gives "12:00". A time before 1970 or after the year 9999
// gives a number: "-5 ms".
std::string utc_text(std::int64_t unix_ms, const char* form);

}  // namespace attune
