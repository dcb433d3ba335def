// Position: a place in a text file, as editors count: from 1, columns in characters (code points).
#pragma once

#include <compare>
#include <cstddef>
#include <optional>
#include <string_view>

namespace attune {

struct Position {
  std::size_t line = 1;
  std::size_t column = 1;
  std::size_t file = 0;  // 0: the kernel file; from 1 on: the files that its front matter includes
  friend auto operator<=>(const Position&, const Position&) = default;
};

Position position_at(std::string_view text, std::size_t offset);
// Returns the byte at which `position` begins. If there is no such column or line, returns the end of its line or of
// the text.
std::size_t offset_at(std::string_view text, Position position);

std::size_t count_characters(std::string_view text);
// Returns the offset of the first byte that is not valid UTF-8, or nothing if all are valid.
std::optional<std::size_t> invalid_utf8(std::string_view text);

}  // namespace attune
