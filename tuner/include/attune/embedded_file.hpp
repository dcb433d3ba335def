// A text file inside the program, such as a kernel file. CMake's attune_embed(target saxpy.cu HEADERS tile.cuh) makes
// "attune_embedded/saxpy.hpp". That header defines `inline constexpr attune::EmbeddedFile attune_embedded::saxpy`.
#pragma once

#include <span>
#include <string_view>

namespace attune {

struct EmbeddedHeader {
  std::string_view name;  // as written in #include "..."
  std::string_view text;
};

struct EmbeddedFile {
  std::string_view file_name;                 // "saxpy.cu", for messages
  std::string_view text;                      // the whole file, front matter included
  std::span<const EmbeddedHeader> headers{};  // that it includes, directly or not; built-in ones need no mention
};

}  // namespace attune
