#include "spec/source_position.hpp"

#include <algorithm>

namespace attune {
namespace {

unsigned byte_at(std::string_view text, std::size_t offset) { return static_cast<unsigned char>(text[offset]); }

bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0u) == 0x80u; }

// Lead bytes of UTF-8 and the bounds of the byte after: RFC 3629, section 4. The bounds exclude overlong forms,
// surrogates and numbers above U+10FFFF.
struct LeadRange {
  unsigned first, last;
  std::size_t length;
  unsigned second_first, second_last;
};
constexpr LeadRange lead_ranges[] = {
    {0x00, 0x7F, 1, 0, 0},       {0xC2, 0xDF, 2, 0x80, 0xBF}, {0xE0, 0xE0, 3, 0xA0, 0xBF},
    {0xE1, 0xEC, 3, 0x80, 0xBF}, {0xED, 0xED, 3, 0x80, 0x9F}, {0xEE, 0xEF, 3, 0x80, 0xBF},
    {0xF0, 0xF0, 4, 0x90, 0xBF}, {0xF1, 0xF3, 4, 0x80, 0xBF}, {0xF4, 0xF4, 4, 0x80, 0x8F},
};

// Returns how many bytes the character at `offset` has; 0 if there is no valid character.
std::size_t character_length(std::string_view text, std::size_t offset) {
  const unsigned lead = byte_at(text, offset);
  const auto* range = std::find_if(std::begin(lead_ranges), std::end(lead_ranges),
                                   [&](const LeadRange& r) { return lead >= r.first && lead <= r.last; });
  if (range == std::end(lead_ranges) || offset + range->length > text.size()) return 0;
  if (range->length == 1) return 1;
  const unsigned second = byte_at(text, offset + 1);
  if (second < range->second_first || second > range->second_last) return 0;
  const auto rest = text.substr(offset + 2, range->length - 2);
  return std::all_of(rest.begin(), rest.end(), continues_character) ? range->length : 0;
}

}  // namespace

std::size_t count_characters(std::string_view text) {
  return text.size() - static_cast<std::size_t>(std::count_if(text.begin(), text.end(), continues_character));
}

Position position_at(std::string_view text, std::size_t offset) {
  const auto before = text.substr(0, std::min(offset, text.size()));
  const std::size_t newline = before.rfind('\n');
  const std::size_t line_start = newline == std::string_view::npos ? 0 : newline + 1;
  return {static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')) + 1,
          count_characters(before.substr(line_start)) + 1};
}

std::size_t offset_at(std::string_view text, Position position) {
  std::size_t offset = 0;
  for (std::size_t line = 1; line < position.line; ++line) {
    const std::size_t newline = text.find('\n', offset);
    if (newline == std::string_view::npos) return text.size();
    offset = newline + 1;
  }
  for (std::size_t column = 1; column < position.column; ++column) {
    if (offset >= text.size() || text[offset] == '\n') return offset;
    ++offset;
    while (offset < text.size() && continues_character(text[offset])) ++offset;
  }
  return offset;
}

std::optional<std::size_t> invalid_utf8(std::string_view text) {
  for (std::size_t offset = 0; offset < text.size();) {
    const std::size_t length = character_length(text, offset);
    if (length == 0) return offset;
    offset += length;
  }
  return std::nullopt;
}

}  // namespace attune
