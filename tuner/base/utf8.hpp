// UTF-8. Pure; any thread.
#pragma once

#include <cstddef>
#include <string_view>

namespace attune {

// Returns how many bytes the character at the front of a text has: 1 to 4, or 0 if there is no valid character. Source:
// RFC 3629.
std::size_t utf8_length(std::string_view text);

}  // namespace attune
