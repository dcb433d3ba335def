// Makes texts from files fit for a terminal. Pure; any thread.
#pragma once

#include <string>

namespace attune {

// Returns the text with each control character replaced by ?.
std::string on_one_line(std::string text);
// Returns the text cut to two lines of a terminal. A cut text ends in "...". Never cuts inside a UTF-8 character.
std::string cut_short(std::string text);

}  // namespace attune
