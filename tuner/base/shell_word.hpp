// Words of the commands that messages name.
#pragma once

#include <string>
#include <string_view>

namespace attune {

// Returns the text as a shell takes it for one word: itself where it is a plain name or path, else in quotes.
std::string shell_word(std::string_view text);

}  // namespace attune
