#include "expression/lexer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <span>

#include "attune/expression.hpp"
#include "base/identifier.hpp"
#include "expression/words.hpp"

namespace attune {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Spellings of other languages, and what attune has instead. {} stands for the functions of the Python dialect.
struct Foreign {
  std::string_view text;
  std::string_view advice;
};

std::string python_functions() {
  const auto names = function_names(Dialect::python);
  return fmt::format("{} and {}", fmt::join(names.begin(), names.end() - 1, ", "), names.back());
}

// Symbols besides the operators of the table.
constexpr std::string_view attune_symbols[] = {"&&", "||", "(", ")", "[", "]", ",", "?", ":"};
constexpr Foreign attune_foreign[] = {
    {"//", "`//` is not known; `/` on two integers truncates already"},
    {"::", "a name with `::` must stand in quotes, as in 'Order::rows'"},
    {"=", "`=` is not known; write `==` to compare"},
    {"^", "`^` is not known; write `**` for a power"},
    {"~", "`~` is not known; write `-x - 1` for a complement"},
};

constexpr std::string_view python_symbols[] = {"(", ")", "[", "]", ","};
constexpr Foreign python_foreign[] = {
    {"&&", "`&&` is not Python; write `and`"},
    {"||", "`||` is not Python; write `or`"},
    {"!", "`!` is not Python; write `not`"},
    {"?", "`?` is not Python; write `a if condition else b`"},
    {":=", "`:=` is not known here; write the expression in both places"},
    {":", "`:` is not known here: no slices, functions or dictionaries"},
    {"=", "`=` is not known here; write `==` to compare"},
    {".", "attributes and modules are not known here, only {}"},
    {"{", "sets and dictionaries are not known here; write a list [..]"},
    {"^", "`^` is not known here; of the operators on bits there are & | << >>"},
    {"~", "`~` is not known here; write `-x - 1` for a complement"},
};

struct Symbols {
  std::span<const std::string_view> known;
  std::span<const Foreign> foreign;
};
constexpr Symbols attune_words = {attune_symbols, attune_foreign}, python_words = {python_symbols, python_foreign};

int base_of(std::string_view prefix, Dialect dialect) {
  if (prefix == "0x" || prefix == "0X") return 16;
  if (dialect == Dialect::attune) return 10;
  if (prefix == "0o" || prefix == "0O") return 8;
  return prefix == "0b" || prefix == "0B" ? 2 : 10;
}

// Removes Python's underscores between two digits and after a base. Other underscores stay, so that the text is not a
// number.
std::string without_underscores(std::string_view text, int base) {
  const auto is_part = [&](std::size_t i) {
    return i < text.size() && (base == 10 ? is_digit(text[i]) : is_word(text[i]) && text[i] != '_');
  };
  std::string digits;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_' || i == 0 || !is_part(i - 1) || !is_part(i + 1)) digits += text[i];
  }
  return digits;
}

std::string shown(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 32 && byte < 127 ? fmt::format("`{}`", c) : fmt::format("byte 0x{:02x}", byte);
}

// Messages show an expression of up to this length as a whole, and of a longer one the text around the place.
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
  const bool decimal = base_of(text_.substr(begin, 2), dialect_) == 10;
  std::size_t end = begin;
  while (end < text_.size() && (is_word(text_[end]) || text_[end] == '.' || (decimal && end > begin && is_sign(end)))) {
    ++end;
  }
  Token result = token(Token::Kind::integer, begin, end);
  read_number(result);
  return result;
}

void Lexer::read_number(Token& token) const {
  const int base = base_of(token.text.substr(0, 2), dialect_);
  const std::string digits =
      dialect_ == Dialect::python ? without_underscores(token.text, base) : std::string(token.text);
  const char* const first = digits.data() + (base != 10 ? 2 : 0);
  const char* const last = digits.data() + digits.size();
  const bool whole = base != 10 || digits.find_first_of(".eE") == std::string::npos;
  std::from_chars_result read{};
  if (whole) {
    read = std::from_chars(first, last, token.integer, base);
  } else {
    token.kind = Token::Kind::real;
    read = std::from_chars(first, last, token.real);
  }
  if (read.ptr != last || read.ec == std::errc::invalid_argument) {
    fail(fmt::format("`{}` is no number", token.text), token.begin);
  }
  if (read.ec == std::errc::result_out_of_range && !whole) {
    fail(fmt::format("`{}` does not fit a double", token.text), token.begin);
  }
  constexpr std::uint64_t limit = std::uint64_t{1} << 63;
  if (read.ec == std::errc::result_out_of_range || token.integer > limit) {
    fail(fmt::format("`{}` is too large: integers go up to 2**63 - 1 = 9223372036854775807", token.text), token.begin);
  }
  const bool octal = whole && base == 10 && digits.size() > 1 && digits[0] == '0';
  if (octal) fail(fmt::format("`{}`: a number does not start with 0", token.text), token.begin);
}

Token Lexer::quoted(std::size_t begin) {
  const std::size_t close = text_.find_first_of(std::string{text_[begin], '\n'}, begin + 1);
  if (close == std::string_view::npos || text_[close] == '\n') fail("the quote is never closed", begin);
  if (close == begin + 1) fail("a name in quotes must not be empty", begin);
  Token result = token(Token::Kind::name, begin, close + 1);
  result.text = text_.substr(begin + 1, close - begin - 1);
  const std::size_t escape = dialect_ == Dialect::python ? result.text.find('\\') : std::string_view::npos;
  if (escape != std::string_view::npos) fail("escapes in quotes are not known here", begin + 1 + escape);
  return result;
}

Token Lexer::identifier(std::size_t begin) {
  std::size_t end = begin;
  while (end < text_.size() && is_word(text_[end])) ++end;
  Token result = token(Token::Kind::identifier, begin, end);
  if (dialect_ == Dialect::python) return result;
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
  const Symbols& words = dialect_ == Dialect::python ? python_words : attune_words;
  std::size_t length = 0;
  for (const std::string_view text : words.known) {
    if (rest.starts_with(text)) length = std::max(length, text.size());
  }
  const OperationWord* operation = nullptr;
  for (const OperationWord& word : words_of(dialect_)) {
    if (word.level >= Level::function) break;
    if (word.size <= length || !rest.starts_with(word.text())) continue;
    length = word.size;
    operation = &word;
  }
  for (const auto& [text, advice] : words.foreign) {
    if (text.size() > length && rest.starts_with(text))
      fail(fmt::format(fmt::runtime(advice), python_functions()), begin);
  }
  if (length == 0) fail(fmt::format("unexpected {}", shown(text_[begin])), begin);
  Token result = token(Token::Kind::symbol, begin, begin + length);
  result.operation = operation;
  return result;
}

}  // namespace attune
