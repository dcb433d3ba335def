// A text file inside the program, such as a kernel file. CMake's attune_embed(target saxpy.cu) makes
// "attune_embedded/saxpy.hpp". That header defines `inline constexpr attune::EmbeddedFile attune_embedded::saxpy`.
#pragma once

#include <string_view>

namespace attune {

struct EmbeddedFile {
  std::string_view file_name;  // "saxpy.cu", for messages
  std::string_view text;       // the whole file, front matter included
};

}  // namespace attune
