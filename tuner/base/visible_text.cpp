#include "base/visible_text.hpp"

#include <fmt/format.h>

#include <algorithm>

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

std::string message_text(std::string_view text) {
  constexpr std::size_t most = 2000, first = 1200, last = 400;
  std::string lines = visible_text(text);
  const auto begins = [&](std::size_t at) { return (byte_at(lines, at) & 0xc0) != 0x80; };  // a character
  for (std::size_t begin = 0; begin < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', begin), lines.size());
    std::size_t from = begin + first, to = end;
    if (end - begin > most) {
      to = end - last;
      while (!begins(from)) ++from;
      while (!begins(to)) ++to;
      const std::string left_out = fmt::format(" ... ({} bytes left out) ... ", to - from);
      lines.replace(from, to - from, left_out);
      begin = from + left_out.size() + (end - to) + 1;
    } else {
      begin = end + 1;
    }
  }
  return lines;
}

}  // namespace attune
