// Finds the user headers of a kernel in its text, and reads them. Their names are those by which they are included.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attune/kernel_spec.hpp"
#include "base/embedded_file.hpp"
#include "spec/document.hpp"

namespace attune {

// Where the headers of a kernel are. A name is looked up among the built-in headers first, then in the order of these
// members.
struct HeaderPlaces {
  std::span<const EmbeddedHeader> embedded;
  std::filesystem::path directory;             // of the kernel file, or of the including header; empty: no files
  std::vector<std::filesystem::path> folders;  // of -I options
};

// Returns the headers reached by #include "..." from `code`, transitively, in the order of first use, and those that a
// __has_include("...") finds. attune.cuh is left out. So are headers that are in none of the places, or in a folder of
// a CUDA toolkit: the compiler looks for them. Appends the files that it read to `files`, if given. Throws SpecError at
// the #include of a header that is not text, too large, one too many, or that has the name of a header with other
// content.
std::vector<Header> read_headers(std::string_view code, const std::string& file, const HeaderPlaces& places,
                                 std::vector<std::filesystem::path>* files = nullptr);

// Returns a file that front matter includes: an embedded one, or one in the folder, whose path is appended to `files`,
// if given. Throws Error, which says why it cannot.
IncludedFile read_included(const std::string& name, const HeaderPlaces& places,
                           std::vector<std::filesystem::path>* files = nullptr);

// Returns whether the code includes attune.cuh, itself or through its headers.
bool includes_attune(const SourceText& source);

}  // namespace attune
