// Finds the files that a compiler may open, as far as the texts themselves tell. The search is the same for every
// compiler: among the texts that the compiler was given, beside the including file (in quotes), then in the folders of
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

// Returns the files that options include before the source: "-include" "file", "--pre-include=file".
std::vector<std::string> files_before(std::span<const std::string> options);

struct HeaderSearch {
  // The sources and headers that the compiler was given in memory. They are scanned, and are found by name before any
  // file.
  std::vector<EmbeddedHeader> given;
  std::vector<std::string> folders;      // of -I options, in order
  std::vector<std::string> before = {};  // files_before() of the options
  // Given as well, but for includes of which no file is found.
  std::span<const Header> last = {};
  bool has_current_folder = false;  // for names in quotes, given texts also look in the current folder
};

struct HeaderFiles {
  // Files with their digests, and places without a file where a file, if there were one, would be opened instead. Each
  // path once.
  std::vector<ImageFile> files;
  std::uint64_t bytes = 0;
  // False if a limit was exceeded (max_image_files, max_digested_bytes, the longest path of an image), if a file cannot
  // be read, or if a macro gives the name of a __has_include or #embed.
  bool are_all = true;
  std::vector<std::string> last_used = {};  // names of HeaderSearch::last that an #include asks for, and no file has
  bool opens_by_macro = false;  // a macro gives the name of an #include: only the compiler knows what it opens
  std::string warning;          // names the first __has_include or #embed whose name a macro gives
};

// The search found something that must not be compiled: a pipe, or a header in the current folder.
class RefusedHeader : public Error {
 public:
  using Error::Error;
};

// Returns too many files rather than too few: text under #if counts. It cannot follow an #include whose name a macro
// gives. Throws RefusedHeader for a file that is not regular, because a compiler would wait for a pipe. Throws it also
// for a header in the current folder, which does not belong to the kernel. Any thread.
HeaderFiles header_files(const HeaderSearch& search);

// Adds the files that the compiler says it opened, one on each line of `opened`, and the places where a header of that
// name would be found earlier. Blanks before a name and the names of given texts are ignored. Throws as header_files()
// does.
void add_opened(HeaderFiles& list, const HeaderSearch& search, const std::string& opened);

}  // namespace attune
