// Front matter: the leading comment of a kernel file, as TOML. Pure functions on text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "spec/kernel_file.hpp"
#include "spec/source_position.hpp"

namespace attune {

struct FrontMatter {
  std::string toml;             // the file up to the closing mark, with all but the TOML blanked, so that positions
                                // are those of the file
  std::string code;             // the whole file with the front matter blanked, newlines kept
  std::size_t closing = 0;      // offset of the closing mark in the file
  bool closes_midline = false;  // text precedes the closing mark on its line: the mark may be a mistake
};

// Splits a kernel file. Throws SpecError if it is not text, has no front matter, or has front matter after code or
// without an end.
FrontMatter split_front_matter(std::string_view text, const std::string& file);

// Throws SpecError if a file is too large, or is not text.
void require_text(std::string_view text, const std::string& file);

// Returns the error "FILE:LINE:COLUMN: message".
SpecError spec_error(const std::string& file, Position at, const std::string& message);

}  // namespace attune
