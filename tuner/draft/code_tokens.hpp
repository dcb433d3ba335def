// The tokens of a C++ text that a compiler would see, less what stands in its directives. Pure.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/source_lexer.hpp"

namespace attune::draft {

struct Token {
  SourceToken::Kind kind{};
  std::string_view text;
  std::size_t begin = 0, end = 0;  // bytes of the source
  std::size_t line = 1;
  bool is_word() const { return kind == SourceToken::Kind::word; }
};
using Tokens = std::vector<Token>;
using Part = std::span<const Token>;

struct Macro {
  std::string name;
  bool has_arguments = false;
  Tokens body;
};

// Reads a text, which must outlive this object. Text under `#if 0` is left out. So is an `#else` whose braces would
// close what the branch before it has opened. Macros that stand for `__global__` are replaced by their bodies.
class CodeTokens {
 public:
  explicit CodeTokens(std::string_view source);
  CodeTokens(const CodeTokens&) = delete;
  CodeTokens& operator=(const CodeTokens&) = delete;

  const Tokens& code() const { return code_; }
  const std::vector<Macro>& macros() const { return macros_; }  // in the order of the text

 private:
  struct Branch {
    bool outer_skips, was_taken;
    int depth;
  };
  Token next_in_directive();
  void read_directive();
  void read_macro();
  void read_condition(std::string_view word, bool is_zero, bool is_one);
  void add(const Token& token);
  Token located(const SourceToken& token);

  std::string_view source_;
  SourceLexer lexer_;
  std::size_t counted_ = 0, line_ = 1;  // lines up to this byte
  bool skips_ = false;
  int depth_ = 0;  // of braces
  std::vector<Branch> branches_;
  Tokens code_;
  std::vector<Macro> macros_;
  std::map<std::string_view, Tokens> hiding_;  // macros that stand for `__global__`
};

// Returns how a token changes the depth of brackets: 1, -1 or 0.
int step_of(const Token& token);
// Returns the text of tokens, comments left out.
std::string text_of(Part part);
// Returns the position of the bracket that closes the one at `at`, or the number of tokens if none does.
std::size_t closing(Part part, std::size_t at);
// Returns what stands in the brackets that open at `at`; nothing if they do not close.
Part inside(Part part, std::size_t at);
// Splits at commas outside of brackets, with `angles` of <> too. Returns nothing for no tokens.
std::vector<Part> split_at_commas(Part part, bool angles);
// Returns the position of the > that closes the < at `at`, or the number of tokens if none does.
std::size_t closing_angle(Part part, std::size_t at);
// Returns whether the three tokens at `at` are this sign, side by side: <<< or >>>.
bool is_tripled(Part part, std::size_t at, std::string_view sign);

}  // namespace attune::draft
