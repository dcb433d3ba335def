// Finds what a line of front matter should be if its text lacks quotes, such as `to = n`.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace attune {

struct QuotedLine {
  std::string key;   // of the value, which may have begun on an earlier line
  std::string line;  // with its quotes
};

// Returns what `line` (counted from 1) of the document would be with its texts and expressions in quotes. Returns
// nothing if it lacks no quotes, or lacks something else too.
std::optional<QuotedLine> find_unquoted(std::string_view document, std::size_t line);

}  // namespace attune
