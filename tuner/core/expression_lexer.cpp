#include "core/expression_lexer.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "attune/expression.hpp"

namespace attune {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_word(char c) { return is_letter(c) || is_digit(c); }

// Longer ones first: the first that fits is taken.
constexpr std::array<std::string_view, 26> symbols = {"**", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||",
                                                      "+",  "-",  "*",  "/",  "%",  "<",  ">",  "!",  "&",
                                                      "|",  "(",  ")",  "[",  "]",  ",",  "?",  ":"};

// What other languages write, and what is meant here.
struct Foreign {
  std::string_view text;
  std::string_view advice;
};
constexpr std::array<Foreign, 5> foreign = {{
    {"//", "`//` is not known; `/` on two integers truncates already"},
    {"::", "a name with `::` must stand in quotes, as in 'Order::rows'"},
    {"=", "`=` is not known; write `==` to compare"},
    {"^", "`^` is not known; write `**` for a power"},
    {"~", "`~` is not known; write `-x - 1` for a complement"},
}};

std::string shown(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 32 && byte < 127 ? fmt::format("`{}`", c) : fmt::format("byte 0x{:02x}", byte);
}

// Expressions in messages: whole when short, else what stands around the place.
constexpr std::size_t shown_characters = 120;

std::string excerpt(std::string_view text, std::size_t offset) {
  std::string part(text);
  if (text.size() > shown_characters) {
    const std::size_t begin = offset > shown_characters / 2 ? offset - shown_characters / 2 : 0;
    const std::string_view middle = text.substr(begin, shown_characters);
    part = fmt::format("{}{}{}", begin > 0 ? "..." : "", middle, begin + middle.size() < text.size() ? "..." : "");
  }
  for (char& c : part) {
    if (static_cast<unsigned char>(c) < 32) c = ' ';
  }
  return part;
}

}  // namespace

void Lexer::fail(const std::string& message, std::size_t offset) const {
  throw ExpressionError(fmt::format("`{}`: {} (at character {})", excerpt(text_, offset), message, offset + 1), offset);
}

Token Lexer::token(Token::Kind kind, std::size_t begin, std::size_t end) {
  at_ = end;
  Token result;
  result.kind = kind;
  result.text = text_.substr(begin, end - begin);
  result.begin = static_cast<std::uint32_t>(begin);
  result.end = static_cast<std::uint32_t>(end);
  return result;
}

Token Lexer::next() {
  while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  if (at_ == text_.size()) return token(Token::Kind::end, at_, at_);
  const char c = text_[at_];
  const bool fraction = c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]);
  if (is_digit(c) || fraction) return number(at_);
  if (c == '"' || c == '\'') return quoted(at_);
  if (is_letter(c)) return identifier(at_);
  return symbol(at_);
}

Token Lexer::number(std::size_t begin) {
  const auto is_sign = [&](std::size_t i) {  // of a decimal exponent
    return (text_[i] == '+' || text_[i] == '-') && (text_[i - 1] == 'e' || text_[i - 1] == 'E');
  };
  const bool hexadecimal = text_.substr(begin, 2) == "0x" || text_.substr(begin, 2) == "0X";
  std::size_t end = begin;
  while (end < text_.size() &&
         (is_word(text_[end]) || text_[end] == '.' || (!hexadecimal && end > begin && is_sign(end)))) {
    ++end;
  }
  Token result = token(Token::Kind::integer, begin, end);
  const char* const last = result.text.data() + result.text.size();
  const bool whole = hexadecimal || result.text.find_first_of(".eE") == std::string_view::npos;
  const char* const first = result.text.data() + (hexadecimal ? 2 : 0);
  std::from_chars_result read{};
  if (whole) {
    read = std::from_chars(first, last, result.integer, hexadecimal ? 16 : 10);
  } else {
    result.kind = Token::Kind::real;
    read = std::from_chars(first, last, result.real);
  }
  if (read.ptr != last || read.ec == std::errc::invalid_argument)
    fail(fmt::format("`{}` is no number", result.text), begin);
  if (read.ec == std::errc::result_out_of_range && !whole) {
    fail(fmt::format("`{}` does not fit a double", result.text), begin);
  }
  constexpr std::uint64_t limit = std::uint64_t{1} << 63;
  if (read.ec == std::errc::result_out_of_range || result.integer > limit) {
    fail(fmt::format("`{}` is too large: integers go up to 2**63 - 1 = 9223372036854775807", result.text), begin);
  }
  const bool octal = whole && !hexadecimal && result.text.size() > 1 && result.text[0] == '0';
  if (octal) fail(fmt::format("`{}`: a number does not start with 0", result.text), begin);
  return result;
}

Token Lexer::quoted(std::size_t begin) {
  const std::size_t close = text_.find_first_of(std::string{text_[begin], '\n'}, begin + 1);
  if (close == std::string_view::npos || text_[close] == '\n') fail("the quote is never closed", begin);
  if (close == begin + 1) fail("a name in quotes must not be empty", begin);
  Token result = token(Token::Kind::name, begin, close + 1);
  result.text = text_.substr(begin + 1, close - begin - 1);
  return result;
}

Token Lexer::identifier(std::size_t begin) {
  std::size_t end = begin;
  while (end < text_.size() && is_word(text_[end])) ++end;
  Token result = token(Token::Kind::identifier, begin, end);
  if (result.text == "device" && end < text_.size() && text_[end] == '.') {
    ++end;
    while (end < text_.size() && is_word(text_[end])) ++end;
    return token(Token::Kind::identifier, begin, end);  // device.NAME is one word
  }
  if (result.text == "and" || result.text == "or") {
    result.kind = Token::Kind::symbol;
    result.text = result.text == "and" ? "&&" : "||";
  }
  return result;
}

Token Lexer::symbol(std::size_t begin) {
  const std::string_view rest = text_.substr(begin);
  const auto starts = [&](std::string_view text) { return rest.substr(0, text.size()) == text; };
  for (const auto& [text, advice] : foreign) {
    if (starts(text) && !starts("==")) fail(std::string(advice), begin);
  }
  for (const std::string_view text : symbols) {
    if (starts(text)) return token(Token::Kind::symbol, begin, begin + text.size());
  }
  fail(fmt::format("unexpected {}", shown(text_[begin])), begin);
}

}  // namespace attune
