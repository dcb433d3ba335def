// Splits C++ text into the tokens of its preprocessor. All code that reads sources uses this lexer: the search for
// #include lines, the code fingerprint, the rewrite for the host device.
#pragma once

#include <cstddef>
#include <forward_list>
#include <string>
#include <string_view>

namespace attune {

// Begins files of some editors. NVRTC does not take it.
inline constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

struct SourceToken {
  enum class Kind {
    word,
    number,
    literal,      // a string or a character; prefix and suffix are words of their own, except before a raw string
    header_name,  // "x.cuh" or <x>, where a directive has one
    sign,         // one byte, except the %: that begins a directive
    line_end,     // the end of a directive or of a line whose last literal is not closed; other lines have no token
  };
  Kind kind = Kind::sign;
  std::size_t begin = 0, end = 0;  // bytes of the source
  std::string_view text;           // without line continuations, which raw strings keep; "\n" for a line end
  bool after_blank = false;        // white space or a comment precedes it
  bool opens_directive = false;    // the # that begins a line
};

// Accepts any bytes; those beyond ASCII belong to words. A literal that is not closed ends with its line, without
// trailing blanks; an unclosed raw string or comment ends with the text. `#if` is not evaluated. A byte order mark is
// skipped. One lexer belongs to one thread.
class SourceLexer {
 public:
  // Begins at the first byte. The source must outlive the lexer, and the lexer must outlive its tokens.
  explicit SourceLexer(std::string_view source);
  SourceLexer(const SourceLexer&) = delete;
  SourceLexer& operator=(const SourceLexer&) = delete;

  // Returns the next token, which is valid until the next call, or null at the end. Throws only std::bad_alloc.
  const SourceToken* next();

 private:
  // What has to come before a `<` or `"` begins a header name: a directive's word, a parenthesis, or nothing more
  // (header_name).
  enum class HeaderState { nothing, directive_word, parenthesis, header_name };

  std::size_t past_continuations(std::size_t at) const;
  char byte(std::size_t at) const { return at < source_.size() ? source_[at] : '\0'; }
  char peek() const { return byte(at_); }
  char second() const { return byte(past_continuations(at_ + 1)); }
  bool is_line_end(std::size_t at) const { return byte(at) == '\n' || (byte(at) == '\r' && byte(at + 1) == '\n'); }
  bool at_line_end() const { return at_ >= source_.size() || is_line_end(at_); }
  void advance();
  bool skip_blank();
  bool skip_comment();
  void skip_line();
  void skip_block();
  const SourceToken* read_token();
  SourceToken::Kind read(bool opens_directive);
  SourceToken::Kind read_word();
  void read_number();
  void read_literal();
  bool read_raw_string();
  bool read_header_name();
  std::string_view spelled(std::size_t begin);
  void await_after();

  std::string_view source_;
  std::size_t at_ = 0;           // the next byte; never at a line continuation
  std::size_t end_ = 0;          // behind the last byte that was read
  std::size_t exact_from_ = 0;   // the quote of a raw string, else behind the token: from here on text stays exact
  bool line_begins_ = true;      // no token of this line so far
  bool keeps_line_end_ = false;  // the end of this line will be a token
  bool after_blank_ = false;
  bool is_continued_ = false;  // a continuation was passed since the token began
  HeaderState awaited_ = HeaderState::nothing;
  SourceToken token_;
  std::forward_list<std::string> joined_;  // texts of tokens that had continuations
};

}  // namespace attune
