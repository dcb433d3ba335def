#include "base/visible_text.hpp"

#include <fmt/format.h>

#include "base/utf8.hpp"

namespace attune {
namespace {

unsigned byte_at(std::string_view text, std::size_t at) {
  return at < text.size() ? static_cast<unsigned char>(text[at]) : 0;
}

// Returns the length of a printable character beyond ASCII at the front of `text`, or 0.
std::size_t length_beyond_ascii(std::string_view text) {
  const std::size_t length = utf8_length(text);
  const bool is_control = byte_at(text, 0) == 0xc2 && byte_at(text, 1) < 0xa0;
  return length < 2 || is_control ? 0 : length;
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
