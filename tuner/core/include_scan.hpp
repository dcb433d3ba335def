// Finds the #include lines of C++ text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace attune {

struct Include {
  std::string name;        // between the quotes or angle brackets
  bool quoted = true;      // "x.cuh", not <x.cuh>
  std::size_t offset = 0;  // of the quote, in the text
  bool next = false;       // #include_next: in the folders after that of the including file
};

// Returns every #include and #include_next with a literal name, in order. Comments and strings do not count; text under
// #if does.
std::vector<Include> find_includes(std::string_view text);

}  // namespace attune
