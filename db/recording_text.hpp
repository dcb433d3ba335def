// What files say of themselves, made fit for a line of a terminal. Pure; any thread.
#pragma once

#include <string>

namespace attune {

// With ? in the place of control characters.
std::string on_one_line(std::string text);
// Two lines of a terminal at most; a longer one ends in "...". Never cuts inside a character of UTF-8.
std::string cut_short(std::string text);

}  // namespace attune
