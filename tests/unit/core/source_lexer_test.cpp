#include "core/source_lexer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace attune {
namespace {

using testing::ElementsAre;

// Each token as its kind's letter and its text; a blank goes before that which has one, an @ before a directive.
std::vector<std::string> tokens(std::string_view source) {
  std::vector<std::string> shown;
  SourceLexer lexer(source);
  while (const SourceToken* token = lexer.next()) {
    const std::string kind(1, "wnlhse"[static_cast<std::size_t>(token->kind)]);
    shown.push_back((token->after_blank ? " " : "") + std::string(token->opens_directive ? "@" : "") + kind + ":" +
                    std::string(token->text));
  }
  return shown;
}

TEST(SourceLexer, TellsKindsOfTokens) {
  EXPECT_THAT(tokens("a_1=L'x'+ 2.5e-3f;"), ElementsAre("w:a_1", "s:=", "w:L", "l:'x'", "s:+", " n:2.5e-3f", "s:;"));
  EXPECT_THAT(tokens("u8R\"(a)\"_x \"b\""), ElementsAre("l:u8R\"(a)\"", "w:_x", " l:\"b\""));
  EXPECT_THAT(tokens(" # include <a> // b\nx.y"),
              ElementsAre(" @s:#", " w:include", " h:<a>", " e:\n", " w:x", "s:.", "w:y"));
  EXPECT_THAT(tokens("\xC3\xA4$R\"(\" 'a\nb"), ElementsAre("w:\xC3\xA4$R", "l:\"(\"", " l:'a", "e:\n", " w:b"));
}

TEST(SourceLexer, SaysWhereTokensStand) {
  const std::string_view source = "\xEF\xBB\xBF\\\n in\\\r\nt /**/ \"a\\\nb\"\\\n";
  SourceLexer lexer(source);
  std::vector<std::string_view> places, texts;
  while (const SourceToken* token = lexer.next()) {
    places.push_back(source.substr(token->begin, token->end - token->begin));
    texts.push_back(token->text);
  }
  EXPECT_THAT(places, ElementsAre("in\\\r\nt", "\"a\\\nb\""));
  EXPECT_THAT(texts, ElementsAre("int", "\"ab\""));
}

TEST(SourceLexer, EndsWithTheTextWhereverThatEnds) {
  const std::string source = "#include \"a\"\n/* x */ R\"d(x)d\" '\\'' // y \\\n#if __has_include(<b>)\n1'0.\\\n\"c";
  for (std::size_t length = 0; length <= source.size(); ++length)
    EXPECT_LE(tokens(source.substr(0, length)).size(), 20u);
}

}  // namespace
}  // namespace attune
