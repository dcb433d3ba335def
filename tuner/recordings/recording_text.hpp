// Makes texts of files fit for a line of a terminal. Pure; any thread.
#pragma once

#include <string>

namespace attune {

// Replaces control characters by ?.
std::string on_one_line(std::string text);
// Cuts to two lines of a terminal; a cut text ends in "...". Never cuts inside a character of UTF-8.
std::string cut_short(std::string text);

}  // namespace attune
