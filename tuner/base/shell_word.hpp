// Words of the commands that messages suggest.
#pragma once

#include <string>
#include <string_view>

namespace attune {

// Returns the text as one word of a shell: unchanged if it is a plain name or path, else in quotes.
std::string shell_word(std::string_view text);

}  // namespace attune
