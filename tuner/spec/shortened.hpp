// Shortens long texts for messages.
#pragma once

#include <string>
#include <string_view>

namespace attune {

// Returns the text, or if it is long its beginning and "..."; never cuts a UTF-8 character.
inline std::string shortened(std::string_view text) {
  constexpr std::size_t max_bytes = 160;  // two lines of a terminal
  if (text.size() <= max_bytes) return std::string(text);
  std::size_t end = max_bytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0u) == 0x80u) --end;
  return std::string(text.substr(0, end)) + "...";
}

}  // namespace attune
