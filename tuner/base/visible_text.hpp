// Text from files of others, for a terminal.
#pragma once

#include <string>
#include <string_view>

namespace attune {

// Returns the text with its control characters, and with bytes that are no UTF-8, as `\x1b`. Line ends and tabs stay;
// a carriage return before a line end goes. U+0080 to U+009F are control characters too: U+009B is shown as `\x9b`.
std::string visible_text(std::string_view text);

// Returns the visible text for a message: of a line of more than 2,000 bytes, the middle is left out. Values of any
// length stand in messages.
std::string message_text(std::string_view text);

}  // namespace attune
