// The user headers of a kernel: found in its text, read, and kept by the name under which they are included.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "attune/kernel_spec.hpp"

namespace attune {

struct Include {
  std::string name;        // between the quotes or angle brackets
  bool quoted = true;      // "x.cuh", not <x.cuh>
  std::size_t offset = 0;  // of the quote, in the text
};

// Every #include with a literal name, in order; those in comments and strings do not count, those under #if do.
std::vector<Include> find_includes(std::string_view text);

// The headers reached by #include "..." from `code`, transitively, in the order in which they are first reached;
// attune.cuh is not among them. A name is looked up in the folder of the file that includes it: `directory` for `code`.
// Throws SpecError at the #include: not found, not text, too large, too many, one name for two contents.
std::vector<Header> read_headers(std::string_view code, const std::string& file,
                                 const std::filesystem::path& directory);

// Does the code include attune.cuh, itself or through its headers?
bool includes_attune(const SourceText& source);

}  // namespace attune
