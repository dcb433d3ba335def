// What of a source counts for its code fingerprint.
#include "spec/code_tokens.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "core/source_lexer.hpp"
#include "spec/kernel_file.hpp"
#include "unit/spec/everything.hpp"

namespace attune::tests {
namespace {

struct Pair {
  std::string_view text, tokens;
};

void expect(std::initializer_list<Pair> pairs) {
  for (const auto& [text, tokens] : pairs) EXPECT_EQ(code_tokens(text), tokens) << text;
}

TEST(CodeTokens, HaveOneBlankForARunOfWhiteSpaceAndComments) {
  expect({{"int  a;", "int a;"},
          {"int\n\t\v\f a;\r\n", "int a;"},
          {"  /* x */ int // y\n /* z\n */ a;", "int a;"},
          {"int/**/a;", "int a;"},
          {"a / b //\n", "a / b"},
          {"a /*/ b */ c", "a c"},
          {"a /* is not closed", "a"},
          {"a // \" it's\nb", "a b"},
          {"a /* \" ' // */ b", "a b"},
          {"", ""},
          {"\n // nothing\n", ""}});
}

// The # of a macro tells them apart.
TEST(CodeTokens, HaveNoBlankWhereThereWasNone) {
  expect({{"a+b", "a+b"}, {"a + b", "a + b"}, {"f(x)", "f(x)"}, {"f( x )", "f( x )"}, {"> >", "> >"}, {">>", ">>"}});
}

TEST(CodeTokens, KeepLiterals) {
  expect({{"s = \"a  //b /* c */\";  x", "s = \"a  //b /* c */\"; x"},
          {"\"\\\"  //\"  x", "\"\\\"  //\" x"},
          {"\"\\\\\"  // x", "\"\\\\\""},
          {"'\"'  '\\''  '//'", "'\"' '\\'' '//'"},
          {"u8\"a  b\"  u'  '  U\"  \"  L'\"'  x", "u8\"a  b\" u'  ' U\"  \" L'\"' x"},
          {"\"a  b\"_km  'c'_x  3.5_km", "\"a  b\"_km 'c'_x 3.5_km"},
          {"\"a\" \"b\"", "\"a\" \"b\""}});
}

TEST(CodeTokens, KeepRawStrings) {
  expect({{"R\"(a  \" // \n  b)\"  x", "R\"(a  \" // \n  b)\" x"},
          {"u8R\"d(a)\" \\\n )d\"  x", "u8R\"d(a)\" \\\n )d\" x"},
          {"LR\"()\"  uR\"()\"  UR\"()\"_x  y", "LR\"()\" uR\"()\" UR\"()\"_x y"},
          {"R\\\n\"(a  \\\n)\"", "R\"(a  \\\n)\""},
          {"FOR\"(\"  // x", "FOR\"(\""},
          {"\"a\"R\"(\"  // x", "\"a\"R\"(\""},
          {"#define S R\"(a\n  b)\"  x\ny", "#define S R\"(a\n  b)\" x\ny"},
          {"R\"(is not  closed", "R\"(is not  closed"},
          {"R\"no delimiter(\"  // x", "R\"no delimiter(\""}});
}

TEST(CodeTokens, KeepTheLinesOfDirectives) {
  expect({{"int a;\n\n  #  define F  (x)  // y\n\nint b;", "int a;\n#define F (x)\nint b;"},
          {"#/**/define F(x) # x\n  # \n", "#define F(x) # x\n#\n"},
          {"#define F(x)", "#define F(x)\n"},
          {"#define F /* \n */ (x)\n", "#define F (x)\n"},
          {"/* \n */ #if A\r\n#endif\r\n", "#if A\n#endif\n"},
          {"#define A \\\n  1\nb", "#define A 1\nb"},
          {"%:define A\nb\n# not\n", "%:define A\nb\n#not\n"},
          {"\xEF\xBB\xBF#if A\nb", "#if A\nb"},
          {"a # b\nc", "a # b c"},
          {"a /* \n */ # b\nc", "a # b c"}});
}

TEST(CodeTokens, JoinContinuedLines) {
  expect({{"in\\\nt  a;", "int a;"},
          {"in\\\r\nt a;", "int a;"},
          {"a /\\\n/ b \\\n c\nd", "a d"},
          {"a /\\\n* b *\\\n/ c", "a c"},
          {"\"a\\\nb\\\\\n\"  \"  c", "\"ab\\\"  \" c"},
          {"a\\\n\\\nb", "ab"},
          {"a \\\n b", "a b"},
          {"#def\\\nine A\nb", "#define A\nb"},
          {"#include <a\\\nb>  c", "#include <ab> c\n"},
          {"1'0\\\n00'0  'c'", "1'000'0 'c'"}});
}

TEST(CodeTokens, TakeDigitSeparatorsForNumbers) {
  expect({{"1'000'000  'c'", "1'000'000 'c'"},
          {"0x1.8'0p-3'1f  '  '", "0x1.8'0p-3'1f '  '"},
          {".5'5  '  '", ".5'5 '  '"},
          {"1e+5'0  '  '", "1e+5'0 '  '"},
          {"0x1'e+'a'  // it's", "0x1'e+'a'"},
          {"1'\xC3\xA9  '  b", "1'\xC3\xA9  ' b"},
          {"a'  '  b", "a'  ' b"}});
}

TEST(CodeTokens, KeepTheNamesOfHeaders) {
  expect({{"#include  <a//b>  // c\n", "#include <a//b>\n"},
          {"#include <it's>  // c\nd", "#include <it's>\nd"},
          {"#include \"a\\\"  // c\n", "#include \"a\\\"\n"},
          {"#include_next <a' b>  /* c */\n", "#include_next <a' b>\n"},
          {"#if __has_include(<a//b>)  // c\n", "#if __has_include(<a//b>)\n"},
          {"#include A  < b //c>\n", "#include A < b\n"},
          {"#include <a // b\nc", "#include <a\nc"},
          {"include <a//b>\nc", "include <a c"}});
}

TEST(CodeTokens, EndUnclosedLiteralsWithTheirLines) {
  expect({{"#error it's  //wrong \t\nint  a;", "#error it's  //wrong\nint a;"},
          {"#if 0\n don't  /* x\n#endif\n int  a; // y", "#if 0\ndon't  /* x\n#endif\nint a;"},
          {"\"a  b\r\n c  d", "\"a  b\nc d"},
          {"'a  \\\n  b  \nc", "'a    b\nc"},
          {"'a\\", "'a\\\n"},
          {"'", "'\n"}});
}

// Some compilers take a backslash before blanks for the end of a continued line, a carriage return for the end of one,
// ??/ for a backslash, and a header name that they skip for the beginning of a comment.
TEST(CodeTokens, KeepWhatCompilersReadInDifferentWays) {
  for (const std::string text :
       {"// a \\ \nint  b;", "// a \\\t\r\nint  b;", "#define A \\\\\n\nint  b;", "// a \r int  b;",
        "// a ?\?/\nint  b;", "a ?\?' b  // '", "?\?=if  a\nb", "#include <a?\?>  //b>\n",
        "#if 0\n#include <a/*b>\n//*/\n#endif\nint  a;\n", "#if __has_include(<a/\\\n*b>)  // c\n"}) {
    EXPECT_EQ(code_tokens(text), " " + text);
    EXPECT_EQ(code_tokens(" \f\r\n" + text), " " + text) << "as of a longer front matter";
  }
  expect({{"// a \\ b\nint  c;", "int c;"},
          {"a \\ /* b */ c", "a \\ c"},
          {"a \\", "a \\"},
          {"a ?\?( b  // why ?\?\n", "a ?\?( b"},
          {"?\\\n?=", "?\?="}});
}

// ---- Of the texts that come with attune ----

std::vector<std::string> long_texts() {
  std::vector<std::string> texts{whole_file(), std::string(attune_cuh())};
  for (const EmbeddedFile& file : builtin_kernels()) texts.push_back(read_embedded_kernel(file).source.text);
  for (const EmbeddedHeader& header : builtin_headers()) texts.emplace_back(header.text);
  return texts;
}

std::vector<SourceToken> tokens_of(SourceLexer& lexer) {
  std::vector<SourceToken> tokens;
  while (const SourceToken* token = lexer.next()) tokens.push_back(*token);
  return tokens;
}

class Chance {
 public:
  explicit Chance(std::uint64_t seed) : random_(seed) {}
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }
  template <std::size_t COUNT>
  std::string_view one_of(const std::string_view (&pieces)[COUNT]) {
    return pieces[below(COUNT)];
  }

 private:
  std::mt19937_64 random_;
};

// White space and comments: within a line, and between lines.
std::string some_blanks(Chance& chance, bool is_line) {
  static constexpr std::string_view within[] = {" ", "\t", "  ", "/**/", "/* it's\n# */", "\\\n ", "/\\\n* \" *\\\n/"};
  static constexpr std::string_view between[] = {"\n", "\r\n", "\n\n  ", "// it's \" /*\n", "// a \\\n b\n",
                                                 "\f", "\v"};
  std::string blanks = " ";  // a comment would join a `/` before it
  for (std::size_t count = 1 + chance.below(3); count > 0; --count)
    blanks += is_line || chance.below(2) == 0 ? chance.one_of(within) : chance.one_of(between);
  return blanks;
}

// The tokens of a text, with other white space and comments wherever it had some.
std::string spaced_anew(const std::string& text, Chance& chance) {
  SourceLexer lexer(text);
  std::string anew = some_blanks(chance, false);
  bool is_line = false;
  for (const SourceToken& token : tokens_of(lexer)) {
    if (token.kind == SourceToken::Kind::line_end) {
      anew += chance.below(2) == 0 ? some_blanks(chance, true) + "// it's\n" : "\n";
      is_line = false;
      continue;
    }
    if (token.opens_directive)
      anew += "\n" + some_blanks(chance, true);
    else if (token.after_blank)
      anew += some_blanks(chance, is_line);
    is_line = is_line || token.opens_directive;
    anew += text.substr(token.begin, token.end - token.begin);
  }
  return anew;
}

TEST(CodeTokens, DoNotDependOnWhatStandsInPlaceOfWhiteSpace) {
  Chance chance(1);
  for (const std::string& text : long_texts()) {
    const std::string tokens = code_tokens(text);
    ASSERT_LT(tokens.size(), text.size());
    for (int i = 0; i < 3; ++i) ASSERT_EQ(code_tokens(spaced_anew(text, chance)), tokens);
    EXPECT_EQ(code_tokens(tokens), tokens);
  }
}

TEST(CodeTokens, ChangeWithEachCharacterOfEachToken) {
  static constexpr std::string_view others[] = {"Z", "7", "\"", "'", "/", "*", "\\", "#", "(", "\xE9"};
  const std::string text = whole_file();
  const std::string tokens = code_tokens(text);
  Chance chance(2);
  SourceLexer lexer(text);
  for (const SourceToken& token : tokens_of(lexer))
    for (std::size_t at = token.begin; at < token.end; ++at)
      for (const char other : {'Z', chance.one_of(others)[0]}) {
        std::string changed = text;
        changed[at] = other;
        if (changed == text) continue;
        ASSERT_NE(code_tokens(changed), tokens) << at << " is " << other;
      }
}

TEST(CodeTokens, AreFoundInAnyBytes) {
  static constexpr std::string_view pieces[] = {"\"",   "'", "R\"", "(", ")",    "//", "/*",       "*/", "\n",
                                                "\r\n", " ", "\\n", "#", "%:",   "<",  "#include", "a",  "R",
                                                "u8",   "1", "e+",  ".", "\\\n", "\\", "\xFF",     "\t"};
  Chance chance(3);
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (std::size_t count = chance.below(30); count > 0; --count)
      text += i % 4 == 0 ? std::string(1, static_cast<char>(chance.below(256))) : std::string(chance.one_of(pieces));
    const std::string tokens = code_tokens(text);
    EXPECT_EQ(code_tokens(text), tokens);
    if (tokens.starts_with(' ')) continue;  // compilers differ
    // Read again they are the same, but for what no compiler takes: a raw string that is not closed, or whose delimiter
    // has a continuation. Without its comment, a backslash before one would continue the line.
    SourceLexer lexer(text);
    bool is_open = text.find("\"\\\n") != std::string::npos;
    for (const SourceToken& token : tokens_of(lexer))
      is_open |= token.text.ends_with('\\') || (token.kind == SourceToken::Kind::literal && token.end == text.size());
    if (is_open) continue;
    ASSERT_EQ(code_tokens(tokens), tokens) << testing::PrintToString(text);
  }
}

// ---- Of kernels ----

std::string indented(std::string_view text) {
  std::string lines = "    ";
  for (const char c : text) lines += c == '\n' ? "\n    " : std::string(1, c);
  return lines;
}

TEST(Fingerprints, StayUnderALicenceAndOtherIndentation) {
  for (const EmbeddedFile& file : builtin_kernels()) {
    SCOPED_TRACE(file.file_name);
    const KernelSpec spec = read_embedded_kernel(file);
    const auto code_of = [&](const std::string& text) {
      return read_embedded_kernel({file.file_name, text, {}, file.headers}).fingerprints.code;
    };
    EXPECT_EQ(code_of("// Licence: it's \"free\".\n" + std::string(file.text)), spec.fingerprints.code);
    EXPECT_EQ(code_of("/* Licence\n */\n\n" + indented(file.text)), spec.fingerprints.code);
    EXPECT_NE(code_of(std::string(file.text) + "static_assert(true);\n"), spec.fingerprints.code);
    KernelSpec changed = spec;
    for (Header& header : changed.source.headers) header.text = "// Licence\n" + indented(header.text);
    EXPECT_EQ(fingerprints_of(changed).code, spec.fingerprints.code);
    for (Header& header : changed.source.headers) header.text += "static_assert(true);\n";
    EXPECT_EQ(fingerprints_of(changed).code == spec.fingerprints.code, spec.source.headers.empty());
  }
}

}  // namespace
}  // namespace attune::tests
