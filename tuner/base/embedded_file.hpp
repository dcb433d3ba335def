// A text file inside the program, such as a kernel file. CMake's attune_embed_text(target reduce.cu) makes
// "attune_embedded/reduce.hpp", which defines `inline constexpr attune::EmbeddedFile attune_embedded::reduce`.
#pragma once

#include <span>
#include <string_view>

namespace attune {

struct EmbeddedHeader {
  std::string_view name;  // as written in #include "..." or in `include` of the front matter
  std::string_view text;
};

struct EmbeddedFile {
  std::string_view file_name;                 // "reduce.cu", for messages
  std::string_view text;                      // the whole file, front matter included
  std::string_view digest{};                  // SHA-256 of the text; "": not computed, as for files of applications
  std::span<const EmbeddedHeader> headers{};  // that a kernel may include, without the built-in ones
};

}  // namespace attune
