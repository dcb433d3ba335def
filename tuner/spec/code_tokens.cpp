#include "spec/code_tokens.hpp"

#include <algorithm>

#include "core/source_lexer.hpp"

namespace attune {
namespace {

bool is_line_end(std::string_view text) { return text.starts_with('\n') || text.starts_with("\r\n"); }

// Returns whether a backslash is followed by blanks or line continuations, and then by a line end. g++ treats such a
// backslash as a continuation of the line, NVRTC does not.
bool may_continue_line(std::string_view behind_backslash) {
  std::string_view rest = behind_backslash;
  while (!rest.empty()) {
    const bool is_continuation = rest.front() == '\\' && is_line_end(rest.substr(1));
    if (is_continuation)
      rest.remove_prefix(rest[1] == '\n' ? 2 : 3);
    else if (rest.front() == ' ' || (rest.front() >= '\t' && rest.front() <= '\r' && !is_line_end(rest)))
      rest.remove_prefix(1);
    else
      break;
  }
  return rest.size() < behind_backslash.size() && is_line_end(rest);
}

// Returns whether compilers differ on where lines and tokens of this text end.
bool is_disputed(std::string_view text) {
  for (std::size_t at = 0; (at = text.find_first_of("\\\r?", at)) != std::string_view::npos;) {
    const char c = text[at];
    const std::string_view rest = text.substr(++at);
    if (c == '\\' && may_continue_line(rest)) return true;
    if (c == '\r' && !rest.starts_with('\n')) return true;
    // a trigraph before C++17: a backslash, a #, the sign ^ or }
    if (c == '?' && rest.starts_with('?') && rest.find_first_of("/='>", 1) == 1) return true;
  }
  return false;
}

// Returns whether compilers differ on this token: when they skip a header name under #if, some see a comment in it.
bool is_disputed(const SourceToken& token) {
  return token.kind == SourceToken::Kind::header_name && token.text.find("/*") != std::string_view::npos;
}

// Returns the text behind a blank, with which no list of tokens begins, and without the blanks that front matter leaves
// before it.
std::string exact_text(std::string_view text) {
  return " " + std::string(text.substr(std::min(text.find_first_not_of(" \t\r\n\f\v"), text.size())));
}

}  // namespace

std::string code_tokens(std::string_view text) {
  if (is_disputed(text)) return exact_text(text);
  std::string tokens;
  tokens.reserve(text.size());
  bool is_line_start = true;  // at the start of a directive too: what follows its # may be indented
  SourceLexer lexer(text);
  while (const SourceToken* token = lexer.next()) {
    if (is_disputed(*token)) return exact_text(text);
    const bool is_line_end = token->kind == SourceToken::Kind::line_end;
    if (!is_line_start && token->opens_directive)
      tokens += '\n';
    else if (!is_line_start && !is_line_end && token->after_blank)
      tokens += ' ';
    tokens += token->text;
    is_line_start = is_line_end || token->opens_directive;
  }
  return tokens;
}

}  // namespace attune
