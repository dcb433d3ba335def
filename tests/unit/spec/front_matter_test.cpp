// Where the front matter begins and ends, and what is no kernel file at all.
#include "spec/front_matter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spec/toml_tree.hpp"

namespace attune::tests {
namespace {

struct NoKernelFile {
  std::string name;
  std::string text;
  std::size_t line, column;
  std::string words;
};

void PrintTo(const NoKernelFile& file, std::ostream* out) { *out << file.name; }

class NotAKernelFile : public testing::TestWithParam<NoKernelFile> {};

TEST_P(NotAKernelFile, IsRefusedWithAReason) {
  const auto& file = GetParam();
  try {
    split_front_matter(file.text, "x.cu");
    FAIL() << "front matter was found";
  } catch (const SpecError& error) {
    EXPECT_EQ(error.line, file.line) << error.what();
    EXPECT_EQ(error.column, file.column) << error.what();
    EXPECT_THAT(error.what(), testing::HasSubstr(file.words));
    EXPECT_EQ(error.file, "x.cu");
  }
}

INSTANTIATE_TEST_SUITE_P(
    Table, NotAKernelFile,
    testing::Values(NoKernelFile{"empty", "", 1, 1, "a kernel file begins with"},
                    NoKernelFile{"plain_code", "// licence\nint x;\n", 2, 1, "a kernel file begins with"},
                    NoKernelFile{"only_comments", "// licence\n/* more */", 2, 11, "no front matter"},
                    NoKernelFile{"behind_code", "// licence\nint x;\n/*attune\n*/", 3, 1,
                                 "code, which begins on line 2"},
                    NoKernelFile{"not_closed", " /*attune\n[kernel]\n", 1, 2, "not closed"},
                    NoKernelFile{"licence_not_closed", "/* licence\n", 1, 1, "not closed"},
                    NoKernelFile{"another_word", "/*attuned */\nint x;", 2, 1, "no front matter"},
                    NoKernelFile{"with_a_space", "\n/* attune\n*/", 2, 1, "without a space"},
                    NoKernelFile{"nul", std::string("/*attune\n a\0 */", 14), 2, 3, "NUL"},
                    NoKernelFile{"latin_1", "// \xC3\xA4\xE4\n/*attune */", 1, 5, "0xE4 is not valid UTF-8"},
                    NoKernelFile{"overlong", "// \xC0\x80\n", 1, 4, "0xC0"},
                    NoKernelFile{"surrogate", "// \xED\xA0\x80\n", 1, 4, "0xED"},
                    NoKernelFile{"cut_character", "// \xE2\x82", 1, 4, "0xE2"},
                    NoKernelFile{"too_large", std::string((4u << 20) + 1, ' '), 1, 1, "4194304"}),
    [](const auto& param_info) { return param_info.param.name; });

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
