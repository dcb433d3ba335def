// The files that a compile may open, as far as its texts themselves tell. The same for every compiler: a header is
// looked for among the texts that the compiler was given, beside the including file (in quotes), then in the folders of
// -I options.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attune/error.hpp"
#include "base/embedded_file.hpp"
#include "core/image.hpp"

namespace attune {

// Returns the folders of -I options, in order: "-Ifolder", "-I" "folder", "--include-path=folder".
std::vector<std::string> include_folders(std::span<const std::string> options);

// Returns the files of options that include one before the source: "-include" "file", "--pre-include=file".
std::vector<std::string> files_before(std::span<const std::string> options);

struct HeaderSearch {
  // What the compiler was given in memory, sources and headers: scanned, and found by name before any file.
  std::vector<EmbeddedHeader> given;
  std::vector<std::string> folders;      // of -I options, in order
  std::vector<std::string> before = {};  // files_before() of the options
  bool has_current_folder = false;       // quotes in given texts also look in the current folder
};

struct HeaderFiles {
  // Files with their digests, and places without a file where one would be opened instead. Each path once.
  std::vector<ImageFile> files;
  std::uint64_t bytes = 0;
  bool are_all = true;  // false: beyond max_image_files, max_digested_bytes, or the longest path of an image; or a
                        // macro has the name of a __has_include or #embed
  bool opens_by_macro = false;  // an #include has a macro: only the compiler knows what it opens
  std::string warning;          // names the first __has_include or #embed that has a macro
};

// A place has what must not be compiled: a pipe, or a header in the current folder.
class RefusedHeader : public Error {
 public:
  using Error::Error;
};

// Returns more files rather than fewer: text under #if counts. It cannot follow an #include of a macro. Throws
// RefusedHeader for what is no regular file, since a compiler would wait for a pipe, and for a header in the current
// folder, which is none of the kernel's. Any thread.
HeaderFiles header_files(const HeaderSearch& search);

// Adds what the compiler says it opened, a line for each, and the places where a header would be found before it.
// Blanks before a name do not count, nor do the names of given texts. Throws as header_files() does.
void add_opened(HeaderFiles& list, const HeaderSearch& search, const std::string& opened);

}  // namespace attune
