// Text in columns: what is longer than a terminal's line goes on in the next one. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace attune::cli {

inline constexpr std::size_t terminal_columns = 80;

// Returns the words of `given`, with control characters shown, in lines of `terminal_columns` at most, each behind so
// many blanks but the first, which stands in that column already. A longer word has a line of its own. No line end
// follows.
std::string wrapped(std::string_view given, std::size_t indent);

}  // namespace attune::cli
