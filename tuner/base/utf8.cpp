#include "base/utf8.hpp"

namespace attune {

std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned lead = byte(0), second = byte(1);
  if (lead < 0x80) return text.empty() ? 0 : 1;
  const std::size_t length = lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  const bool is_too_long = (lead == 0xe0 && second < 0xa0) || (lead == 0xf0 && second < 0x90);
  const bool is_no_character = (lead == 0xed && second > 0x9f) || (lead == 0xf4 && second > 0x8f);
  return is_too_long || is_no_character ? 0 : length;
}

}  // namespace attune
