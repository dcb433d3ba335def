// Counts with their nouns: "1 trial", "2 trials".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace attune {

// Returns the noun, with an s unless `is_one`.
inline std::string plural(bool is_one, std::string_view noun) { return std::string(noun) + (is_one ? "" : "s"); }
// Returns count and noun.
inline std::string counted(std::int64_t count, std::string_view noun) {
  return std::to_string(count) + " " + plural(count == 1, noun);
}
inline std::string counted(std::size_t count, std::string_view noun) {
  return counted(static_cast<std::int64_t>(count), noun);
}

}  // namespace attune
