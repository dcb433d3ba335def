#include "base/unix_ms.hpp"

#include <fmt/format.h>

#include <array>
#include <ctime>

namespace attune {

std::string utc_text(std::int64_t unix_ms, const char* form) {
  constexpr std::int64_t last_ms = 253402300799999;  // of the year 9999
  if (unix_ms < 0 || unix_ms > last_ms) return fmt::format("{} ms", unix_ms);
  const std::time_t seconds = unix_ms / 1000;
  std::tm utc = {};
  gmtime_r(&seconds, &utc);
  std::array<char, 64> text;
  return {text.data(), std::strftime(text.data(), text.size(), form, &utc)};
}

}  // namespace attune
