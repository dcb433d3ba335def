// Where the front matter begins and ends, and what is no kernel file at all.
#include "spec/front_matter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spec/toml_tree.hpp"

namespace attune::tests {
namespace {

TEST(FrontMatter, IsRefusedWithAReasonWhereThereIsNone) {
  struct NoKernelFile {
    std::string text;
    Position at;
    std::string words;
  };
  for (const auto& [text, at, words] : {NoKernelFile{"", {1, 1}, "a kernel file begins with"},
                                        {"// licence\nint x;\n", {2, 1}, "a kernel file begins with"},
                                        {"// licence\n/* more */", {2, 11}, "no front matter"},
                                        {"// licence\nint x;\n/*attune\n*/", {3, 1}, "code, which begins on line 2"},
                                        {" /*attune\n[kernel]\n", {1, 2}, "not closed"},
                                        {"/* licence\n", {1, 1}, "not closed"},
                                        {"/*attuned */\nint x;", {2, 1}, "no front matter"},
                                        {"\n/* attune\n*/", {2, 1}, "without a space"},
                                        {std::string("/*attune\n a\0 */", 14), {2, 3}, "NUL"},
                                        {"// \xC3\xA4\xE4\n/*attune */", {1, 5}, "0xE4 is not valid UTF-8"},
                                        {"// \xC0\x80\n", {1, 4}, "0xC0"},      // overlong
                                        {"// \xED\xA0\x80\n", {1, 4}, "0xED"},  // a surrogate
                                        {"// \xE2\x82", {1, 4}, "0xE2"},        // cut off
                                        {std::string((4u << 20) + 1, ' '), {1, 1}, "4194304"}}) {
    try {
      split_front_matter(text, "x.cu");
      ADD_FAILURE() << "front matter was found in " << text.substr(0, 80);
    } catch (const SpecError& error) {
      EXPECT_EQ((Position{error.line, error.column}), at) << error.what();
      EXPECT_THAT(error.what(), testing::HasSubstr(words));
      EXPECT_EQ(error.file, "x.cu");
    }
  }
}

TEST(FrontMatter, MayFollowCommentsAndBeginOnTheirLine) {
  const std::string text = "// a\n/* \xC3\xA4\n */ /*attune a = 1\nb = 2 */ int x;\n";
  const auto parts = split_front_matter(text, "x.cu");
  EXPECT_EQ(parts.code, "// a\n/* \xC3\xA4\n */               \n         int x;\n");
  EXPECT_TRUE(parts.closes_midline);
  const auto tree = parse_toml(parts.toml);
  ASSERT_EQ(tree.children.size(), 2u);
  EXPECT_EQ(tree.children[0].key_at, (Position{3, 14}));
  EXPECT_EQ(tree.children[1].at, (Position{4, 5}));
}

TEST(FrontMatter, EndsAtTheFirstClosingMark) {
  const auto parts = split_front_matter("/*attune\na = 1\n*/\n/* b */", "x.cu");
  EXPECT_FALSE(parts.closes_midline);
  EXPECT_EQ(parts.code, "        \n     \n  \n/* b */");
}

TEST(TomlTree, KeepsTheOrderOfTheSourceWhereKeysAreApart) {
  const auto tree = parse_toml("z = 1\n[y.b]\nv = 1\n[a]\n[y]\nc = 2\n[y.a]\n");
  ASSERT_EQ(tree.children.size(), 3u);
  EXPECT_EQ(tree.children[0].key, "z");
  EXPECT_EQ(tree.children[1].key, "y");
  EXPECT_EQ(tree.children[2].key, "a");
  std::vector<std::string> keys;
  for (const auto& child : tree.children[1].children) keys.push_back(child.key);
  EXPECT_THAT(keys, testing::ElementsAre("b", "c", "a"));
}

TEST(TomlTree, RefusesKeysSoDeepThatTheyWouldOverflowTheStack) {
  std::string deep = "[a";
  for (int i = 0; i < 1'000'000; ++i) deep += " . \"x.y\"";
  EXPECT_THROW(parse_toml(deep + "]"), TomlError);
  std::string nested = "a = ";
  nested.append(1'000'000, '[');
  EXPECT_THROW(parse_toml(nested), TomlError);
  std::string both = "a = ";
  for (int i = 0; i < 100; ++i) both += "[{ a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p = ";
  both += "1";
  for (int i = 0; i < 100; ++i) both += " }]";
  EXPECT_EQ(parse_toml(both).children.size(), 1u);
  EXPECT_NO_THROW(parse_toml("a = [1.5, 2.5, 3.5]\nb = 'a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r'\n"));
}

TEST(TomlTree, TakesCharactersBeyondAsciiInStringsAndCommentsOnly) {
  EXPECT_EQ(parse_toml("a = '\xC3\xA9' # \xC3\xA9\nb = \"\"\"x\n\xC3\xA9\"\"\"\n").children[1].string(), "x\n\xC3\xA9");
  EXPECT_NO_THROW(parse_toml("a = \"\"\"\xC3\xA9\"\"\"\"\" # \xC3\xA9\n'\xC3\xA9' = \"\\\"\xC3\xA9\""));
  for (const std::string text : {"\xC3\xA9 = 1", "[a\xC3\xA9]", "a = 1 \xC3\xA9", "a = \"\"\"x\"\"\"\"\"\xC3\xA9",
                                 "a = \"\"\"\\\n \xC3\xA9\"\"\"", "a = \"\"\"\\\xC3\xA9\"\"\"", "a = \"b\n\xC3\xA9"}) {
    EXPECT_THROW(parse_toml(text), TomlError) << text;
  }
}

TEST(SourcePosition, CountsCharactersAndGoesBack) {
  const std::string_view text = "a\n\xC3\xA4\xE2\x82\xAC x\n";
  EXPECT_EQ(position_at(text, 0), (Position{1, 1}));
  EXPECT_EQ(position_at(text, 8), (Position{2, 4}));
  for (const std::size_t offset : {0u, 1u, 2u, 4u, 7u, 8u, 9u}) {
    EXPECT_EQ(offset_at(text, position_at(text, offset)), offset);
  }
  EXPECT_EQ(offset_at(text, {1, 9}), 1u);
  EXPECT_EQ(offset_at(text, {9, 1}), text.size());
}

}  // namespace
}  // namespace attune::tests
