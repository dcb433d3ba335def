// Makes text from untrusted files safe to show on a terminal.
#pragma once

#include <string>
#include <string_view>

namespace attune {

// Returns the text with control characters, and bytes that are not UTF-8, written like `\x1b`. Line ends and tabs stay;
// a carriage return before a line end is dropped. U+0080 to U+009F are control characters too: U+009B is shown as
// `\x9b`.
std::string visible_text(std::string_view text);

// Returns the visible text, shortened for a message: a line of more than 2,000 bytes loses its middle. Messages may
// quote values of any length.
std::string message_text(std::string_view text);

}  // namespace attune
