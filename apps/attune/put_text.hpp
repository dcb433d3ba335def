// What a user reads goes out through these. Names and messages come from files of others: control characters in them
// are shown and never reach the terminal.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string_view>
#include <utility>

#include "base/visible_text.hpp"

namespace attune::cli {

// Prints on standard output. Whether that worked is known at the end of the command.
template <typename... Values>
void put_text(fmt::format_string<Values...> format, Values&&... values) {
  std::fputs(visible_text(fmt::format(format, std::forward<Values>(values)...)).c_str(), stdout);
}

// Prints "attune: MESSAGE" and a line end on standard error. Where that is closed, nothing is left to be done.
inline void put_error(std::string_view message) {
  std::fputs(("attune: " + message_text(message) + "\n").c_str(), stderr);
}

}  // namespace attune::cli
