#include "spec/front_matter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/source_lexer.hpp"

namespace attune {
namespace {

constexpr std::string_view opening_mark = "/*attune";
constexpr std::string_view closing_mark = "*/";
constexpr std::string_view what_a_kernel_file_is =
    "a kernel file begins with its front matter, a comment `/*attune [kernel] name = \"...\" ... */` in TOML "
    "(docs/kernel_files.md)";
constexpr auto npos = std::string_view::npos;

// Enough for any kernel, written or generated, and little enough to read at once.
constexpr std::size_t max_file_bytes = std::size_t{4} << 20;

bool is_white_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

bool is_front_matter(std::string_view comment) {
  return comment.starts_with(opening_mark) &&
         (comment.size() == opening_mark.size() || is_white_space(comment[opening_mark.size()]) ||
          comment.substr(opening_mark.size()).starts_with(closing_mark));
}

// Returns the offset after the comment that begins at `offset`; npos if it is not closed.
std::size_t comment_end(std::string_view text, std::size_t offset) {
  if (text.substr(offset).starts_with("//")) return std::min(text.find('\n', offset), text.size());
  const auto closing = text.find(closing_mark, offset + 2);
  return closing == npos ? npos : closing + closing_mark.size();
}

// Returns the offset of the front matter's opening mark. Only white space and comments may precede it.
std::size_t find_opening(std::string_view text, const std::string& file) {
  std::size_t offset = text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
  while (true) {
    while (offset < text.size() && is_white_space(text[offset])) ++offset;
    const auto rest = text.substr(offset);
    if (is_front_matter(rest)) return offset;
    if (!rest.starts_with("//") && !rest.starts_with("/*")) break;
    const auto end = comment_end(text, offset);
    if (end == npos) throw spec_error(file, position_at(text, offset), "this comment is not closed");
    if (rest.starts_with("/* attune")) {
      throw spec_error(file, position_at(text, offset), "front matter begins with `/*attune`, without a space");
    }
    offset = end;
  }
  for (auto late = text.find(opening_mark, offset); late != npos; late = text.find(opening_mark, late + 1)) {
    if (!is_front_matter(text.substr(late))) continue;
    throw spec_error(file, position_at(text, late),
                     fmt::format("the front matter must come before all code, which begins on line {}",
                                 position_at(text, offset).line));
  }
  throw spec_error(file, position_at(text, offset), fmt::format("no front matter: {}", what_a_kernel_file_is));
}

void blank(std::string& text, std::size_t begin, std::size_t end) {
  std::replace_if(
      text.begin() + static_cast<std::ptrdiff_t>(begin), text.begin() + static_cast<std::ptrdiff_t>(end),
      [](char c) { return c != '\n' && c != '\r'; }, ' ');
}

// Blanks like blank(), but with one space per character, so that columns stay. A lone carriage return is not TOML.
std::string blank_prefix(std::string_view text) {
  std::string blanked;
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0xC0u) != 0x80u) blanked += c == '\n' ? '\n' : ' ';
  }
  return blanked;
}

}  // namespace

SpecError spec_error(const std::string& file, Position at, const std::string& message) {
  return {fmt::format("{}:{}:{}: {}", file, at.line, at.column, message), file, at.line, at.column};
}

void require_text(std::string_view text, const std::string& file) {
  if (text.size() > max_file_bytes) {
    throw spec_error(file, {}, fmt::format("{} bytes: a kernel file has at most {}", text.size(), max_file_bytes));
  }
  if (const auto nul = text.find('\0'); nul != npos) {
    throw spec_error(file, position_at(text, nul), "a NUL byte: a kernel file is text");
  }
  if (const auto bad = invalid_utf8(text)) {
    const auto byte = static_cast<unsigned char>(text[*bad]);
    throw spec_error(file, position_at(text, *bad),
                     fmt::format("byte 0x{:02X} is not valid UTF-8: save the file as UTF-8", byte));
  }
}

FrontMatter split_front_matter(std::string_view text, const std::string& file) {
  require_text(text, file);
  const std::size_t opening = find_opening(text, file);
  const std::size_t toml_begin = opening + opening_mark.size();
  const std::size_t closing = text.find(closing_mark, toml_begin);
  if (closing == npos) {
    throw spec_error(file, position_at(text, opening),
                     "the front matter is not closed: no `*/` follows this `/*attune`");
  }
  FrontMatter parts;
  parts.closing = closing;
  parts.toml = blank_prefix(text.substr(0, toml_begin)) + std::string(text.substr(toml_begin, closing - toml_begin));
  const auto before = text.substr(0, closing);
  const auto line = before.substr(std::max(before.rfind('\n') + 1, toml_begin));
  parts.closes_midline = !std::all_of(line.begin(), line.end(), is_white_space);
  parts.code = text;
  if (text.starts_with(byte_order_mark)) blank(parts.code, 0, byte_order_mark.size());
  blank(parts.code, opening, closing + closing_mark.size());
  return parts;
}

}  // namespace attune
