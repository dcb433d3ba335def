#include "core/visible_text.hpp"

#include <fmt/format.h>

namespace attune {
namespace {

unsigned byte_at(std::string_view text, std::size_t at) {
  return at < text.size() ? static_cast<unsigned char>(text[at]) : 0;
}

// Returns the length of the UTF-8 sequence of a printable character beyond ASCII at the front of `text`, or 0.
std::size_t length_beyond_ascii(std::string_view text) {
  const unsigned lead = byte_at(text, 0), second = byte_at(text, 1);
  const std::size_t length = lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte_at(text, i) & 0xc0) != 0x80) return 0;
  const bool is_control = lead == 0xc2 && second < 0xa0;
  const bool is_too_long = (lead == 0xe0 && second < 0xa0) || (lead == 0xf0 && second < 0x90);
  const bool is_no_character = (lead == 0xed && second > 0x9f) || (lead == 0xf4 && second > 0x8f);
  return is_control || is_too_long || is_no_character ? 0 : length;
}

}  // namespace

std::string visible_text(std::string_view text) {
  std::string visible;
  visible.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const unsigned byte = byte_at(text, i), next = byte_at(text, i + 1);
    if (byte == '\n' || byte == '\t' || (byte >= 0x20 && byte < 0x7f)) {
      visible += text[i];
    } else if (const std::size_t length = length_beyond_ascii(text.substr(i)); length > 0) {
      visible += text.substr(i, length);
      i += length - 1;
    } else if (byte == 0xc2 && next >= 0x80 && next < 0xa0) {
      visible += fmt::format("\\x{:02x}", next);
      ++i;
    } else if (byte != '\r' || next != '\n') {
      visible += fmt::format("\\x{:02x}", byte);
    }
  }
  return visible;
}

}  // namespace attune
