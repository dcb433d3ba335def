#include "core/source_lexer.hpp"

#include <algorithm>

#include "base/identifier.hpp"

namespace attune {
namespace {

using Kind = SourceToken::Kind;

constexpr auto npos = std::string_view::npos;
// Lists of words, each between two blanks.
constexpr std::string_view raw_prefixes = " R LR uR UR u8R ";
constexpr std::string_view including_directives = " include include_next import embed ";
constexpr std::string_view including_operators = " __has_include __has_include_next __has_embed ";
constexpr std::size_t longest_delimiter = 16;  // of a raw string, by the standard

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_part_of_word(char c) { return is_word(c) || c == '$' || static_cast<unsigned char>(c) >= 0x80; }

// Returns whether a list has a word.
bool is_among(std::string_view list, std::string_view word) {
  for (std::size_t at = list.find(word); at != npos; at = list.find(word, at + 1))
    if (at > 0 && list[at - 1] == ' ' && list[at + word.size()] == ' ') return true;
  return false;
}

}  // namespace

SourceLexer::SourceLexer(std::string_view source) : source_(source) {
  at_ = past_continuations(source.starts_with(byte_order_mark) ? byte_order_mark.size() : 0);
}

const SourceToken* SourceLexer::next() {
  after_blank_ = false;
  while (at_ < source_.size() && !(keeps_line_end_ && at_line_end())) {
    if (!skip_blank() && !skip_comment()) return read_token();
    after_blank_ = true;
  }
  if (!keeps_line_end_) return nullptr;
  keeps_line_end_ = false;
  awaited_ = HeaderState::nothing;
  token_ = {Kind::line_end, at_, at_, "\n", after_blank_, false};
  return &token_;
}

// A continuation is a backslash and its line end.
std::size_t SourceLexer::past_continuations(std::size_t at) const {
  while (byte(at) == '\\' && is_line_end(at + 1)) at += byte(at + 1) == '\n' ? 2 : 3;
  return at;
}

void SourceLexer::advance() {
  end_ = at_ + 1;
  at_ = past_continuations(end_);
  if (at_ != end_) is_continued_ = true;
}

bool SourceLexer::skip_blank() {
  if (!is_blank(peek())) return false;
  if (peek() == '\n') line_begins_ = true;
  advance();
  return true;
}

bool SourceLexer::skip_comment() {
  if (peek() != '/' || (second() != '/' && second() != '*')) return false;
  advance();
  if (peek() == '/')
    skip_line();
  else
    skip_block();
  return true;
}

// Skips the slash at which the lexer stands and the rest of the line, except its end. Comments are long, so that a
// search is faster.
void SourceLexer::skip_line() {
  bool goes_on = true;
  while (goes_on && at_ < source_.size()) {
    at_ = std::min(source_.find('\n', at_ + 1), source_.size());
    goes_on = byte(at_ - 1) == '\\' || (byte(at_ - 1) == '\r' && byte(at_ - 2) == '\\');
  }
}

// Skips the star at which the lexer stands, and what follows up to the end of the comment.
void SourceLexer::skip_block() {
  bool is_closed = false;
  for (advance(); at_ < source_.size() && !is_closed; is_closed = peek() == '/') {
    at_ = std::min(source_.find('*', at_), source_.size() - 1);
    advance();
  }
  if (is_closed) advance();
}

const SourceToken* SourceLexer::read_token() {
  const std::size_t begin = at_;
  const bool opens_directive = line_begins_ && (peek() == '#' || (peek() == '%' && second() == ':'));
  line_begins_ = false;
  is_continued_ = false;
  exact_from_ = npos;
  const Kind kind = read(opens_directive);
  if (opens_directive) keeps_line_end_ = true;
  token_ = {kind, begin, end_, spelled(begin), after_blank_, opens_directive};
  await_after();
  return &token_;
}

Kind SourceLexer::read(bool opens_directive) {
  const char c = peek();
  if (awaited_ == HeaderState::header_name && read_header_name()) return Kind::header_name;
  if (c == '"' || c == '\'') {
    read_literal();
    return Kind::literal;
  }
  if (is_digit(c) || (c == '.' && is_digit(second()))) {
    read_number();
    return Kind::number;
  }
  if (is_part_of_word(c)) return read_word();
  advance();
  if (opens_directive && c == '%') advance();
  return Kind::sign;
}

Kind SourceLexer::read_word() {
  const std::size_t begin = at_;
  const bool is_suffix = !after_blank_ && token_.kind == Kind::literal;  // "x"R"(y)" is "x"R and "(y)"
  while (is_part_of_word(peek())) advance();
  const bool is_raw = !is_suffix && peek() == '"' && is_among(raw_prefixes, spelled(begin)) && read_raw_string();
  return is_raw ? Kind::literal : Kind::word;
}

// A number of the preprocessor: 1'000, 0x1.8p-3f, 1e+5.
void SourceLexer::read_number() {
  constexpr std::string_view exponents = "eEpP";
  char last = '\0';
  const auto goes_on = [&](char c) {
    if (c == '+' || c == '-') return exponents.find(last) != npos;
    return is_part_of_word(c) || c == '.' || (c == '\'' && is_word(second()));
  };
  do {
    const bool is_separator = peek() == '\'';
    if (is_separator) advance();
    last = is_separator ? '\0' : peek();  // 0x1'e+1 is a sum
    advance();
  } while (goes_on(peek()));
}

void SourceLexer::read_literal() {
  const char quote = peek();
  advance();
  std::size_t end = end_;  // behind the last byte that is not a blank
  while (!at_line_end()) {
    const char c = peek();
    advance();
    if (c == quote) return;
    if (c == '\\' && !at_line_end()) advance();
    if (!is_blank(source_[end_ - 1])) end = end_;
  }
  end_ = end;
  keeps_line_end_ = true;
}

// R"delimiter( ... )delimiter", from its quote on. Returns false, and reads nothing, if it is an ordinary string.
bool SourceLexer::read_raw_string() {
  const std::size_t begin = at_ + 1, open = source_.find_first_of("( )\\\t\v\f\n\"", begin);
  if (open == npos || source_[open] != '(' || open - begin > longest_delimiter) return false;
  exact_from_ = at_;
  const std::string closing = ")" + std::string(source_.substr(begin, open - begin)) + "\"";
  const std::size_t end = source_.find(closing, open);
  end_ = end == npos ? source_.size() : end + closing.size();
  at_ = past_continuations(end_);
  return true;
}

// <...> or "...", without escapes. Returns false, and reads nothing, if it is not closed on its line.
bool SourceLexer::read_header_name() {
  if (peek() != '<' && peek() != '"') return false;
  const char closing = peek() == '<' ? '>' : '"';
  const std::size_t at = at_, end = end_;
  advance();
  while (!at_line_end() && peek() != closing) advance();
  if (at_line_end()) {
    at_ = at;
    end_ = end;
    return false;
  }
  advance();
  return true;
}

// Returns the text from `begin` to the last byte that was read.
std::string_view SourceLexer::spelled(std::size_t begin) {
  const std::string_view exact = source_.substr(begin, end_ - begin);
  if (!is_continued_) return exact;
  std::string& text = joined_.emplace_front();
  const std::size_t exact_from = std::min(exact_from_, end_);
  for (std::size_t at = past_continuations(begin); at < exact_from; at = past_continuations(at + 1))
    text += source_[at];
  return text.append(source_.substr(exact_from, end_ - exact_from));
}

void SourceLexer::await_after() {
  if (token_.opens_directive) {
    awaited_ = HeaderState::directive_word;
  } else if (awaited_ == HeaderState::directive_word && is_among(including_directives, token_.text)) {
    awaited_ = HeaderState::header_name;
  } else if (keeps_line_end_ && is_among(including_operators, token_.text)) {
    awaited_ = HeaderState::parenthesis;
  } else {
    const bool is_open = awaited_ == HeaderState::parenthesis && token_.text == "(";
    awaited_ = is_open ? HeaderState::header_name : HeaderState::nothing;
  }
}

}  // namespace attune
