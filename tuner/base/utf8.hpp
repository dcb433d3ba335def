// UTF-8. Pure; any thread.
#pragma once

#include <cstddef>
#include <string_view>

namespace attune {

// Returns the bytes of the character at the front of a text: 1 to 4; 0 where there is none. Source: RFC 3629.
std::size_t utf8_length(std::string_view text);

}  // namespace attune
