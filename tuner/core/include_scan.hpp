// Finds the places in C++ text that open files or ask whether they exist.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace attune {

struct Include {
  enum class Kind {
    opens,   // #include, #import
    next,    // #include_next: in the folders after the one of the including file
    asks,    // __has_include and the like: whether there is a file
    embeds,  // #embed: its bytes
  };
  bool is_read() const noexcept { return kind == Kind::opens || kind == Kind::next; }  // as C++
  std::string name;        // between the quotes or angle brackets; "" if a macro gives the name
  bool quoted = true;      // "x.cuh", not <x.cuh>
  std::size_t offset = 0;  // of the quote in the text; without a name, of the macro or of __has_include
  Kind kind = Kind::opens;
};

// Returns whether a name in quotes is that of a header of attune's, which no header of a user may have.
inline bool names_header_of_attune(std::string_view name) {
  return name.starts_with("attune") && name.find('/') == name.npos;
}

// Returns every #include, #include_next, #embed and __has_include, in order. A macro that wraps __has_include counts
// where a condition calls it with a literal name. Comments and strings do not count; text under #if does.
std::vector<Include> find_includes(std::string_view text);

}  // namespace attune
