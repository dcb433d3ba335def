// Test parameters as they appear in lists of tests: short, and on one line.
#pragma once

#include <ostream>
#include <string>

namespace attune {

inline void print_on_one_line(const std::string& text, std::ostream& out) {
  constexpr std::size_t shown = 60;
  for (const char c : text.substr(0, shown)) out << (static_cast<unsigned char>(c) < 32 ? '.' : c);
}

}  // namespace attune
