// The files that a compile may open through #include, as far as the lines themselves tell. The same for every compiler:
// a header is looked for among the texts that the compiler was given, beside the including file (in quotes), then in
// the folders of -I options.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/embedded_file.hpp"
#include "core/image.hpp"

namespace attune {

// Returns the folders of -I options, in order: "-Ifolder", "-I" "folder", "--include-path=folder".
std::vector<std::string> include_folders(std::span<const std::string> options);

struct HeaderSearch {
  // What the compiler was given in memory, sources and headers: scanned, and found by name before any file.
  std::vector<EmbeddedHeader> given;
  std::vector<std::string> folders;  // of -I options, in order
};

struct HeaderFiles {
  // Files with their digests, and places without a file where one would be opened instead. Each path once.
  std::vector<ImageFile> files;
  std::uint64_t bytes = 0;
  bool are_all = true;  // false: beyond max_image_files, max_digested_bytes, or the longest path of an image
};

// Adds a file to the list, once. Returns whether there is such a file.
bool add_file(HeaderFiles& list, const std::string& path);

// Returns more files rather than fewer: text under #if counts. It cannot follow an #include of a macro. Without folders
// it reads nothing. Any thread.
HeaderFiles header_files(const HeaderSearch& search);

}  // namespace attune
