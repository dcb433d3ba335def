// The tokens of a C++ text that a compiler would see, less what stands in its directives. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/source_lexer.hpp"

namespace attune::draft {

struct DraftToken {
  SourceToken::Kind kind{};
  std::string_view text;
  bool after_blank = false;
  bool is_word() const { return kind == SourceToken::Kind::word; }
};
using DraftTokens = std::vector<DraftToken>;
using TokenSpan = std::span<const DraftToken>;

struct MacroText {
  std::string name;
  bool has_arguments = false;
  DraftTokens body;
};

// Reads a text, which must outlive this object. Text under `#if 0` is left out. So is an `#else` whose braces would
// close what the branch before it has opened.
class CodeTokens {
 public:
  explicit CodeTokens(std::string_view source);
  const DraftTokens& code() const { return code_; }
  const std::vector<MacroText>& macros() const { return macros_; }  // in the order of the text

 private:
  struct Branch {
    bool outer_skips, was_taken;
    int depth;
  };
  void read_directive();
  void read_condition(std::string_view word, std::string_view condition);

  SourceLexer lexer_;
  bool skips_ = false;
  int depth_ = 0;  // of braces
  std::vector<Branch> branches_;
  DraftTokens code_;
  std::vector<MacroText> macros_;
};

// Returns how a token changes the depth of brackets: 1, -1 or 0.
int step_of(const DraftToken& token);
// Returns whether one of the tokens is this word or sign.
bool holds(TokenSpan part, std::string_view text);
// Returns the position of a text, or the number of tokens.
std::size_t position_of(TokenSpan part, std::string_view text);
// Returns the text of tokens, comments left out.
std::string text_of(TokenSpan part);
// Returns the position of the bracket that closes the one at `at`, or the number of tokens if none does.
std::size_t closing(TokenSpan part, std::size_t at);
// Returns what stands in the brackets that open at `at`; nothing if they do not close.
TokenSpan inside(TokenSpan part, std::size_t at);
// Splits at commas outside of brackets, with `angles` of <> too. Returns nothing for no tokens.
std::vector<TokenSpan> split_at_commas(TokenSpan part, bool angles);

}  // namespace attune::draft
