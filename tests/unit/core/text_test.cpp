// Durations and words of commands, as messages have them.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "base/duration_text.hpp"
#include "base/shell_word.hpp"

namespace attune {
namespace {

TEST(DurationText, HasTheUnitThatFits) {
  EXPECT_EQ(duration_text(0), "0 s");
  EXPECT_EQ(duration_text(1.54), "1.5 s");
  EXPECT_EQ(duration_text(9.99), "10 s");
  EXPECT_EQ(duration_text(114.6), "115 s");
  EXPECT_EQ(duration_text(480), "8 min");
  EXPECT_EQ(duration_text(3.2 * 3600), "3.2 h");
  EXPECT_EQ(duration_text(120.0 * 3600), "120.0 h");
}

TEST(ShellWord, IsOneWordOfTheSameTextToAShell) {
  EXPECT_EQ(shell_word("../a/b.cu"), "../a/b.cu");
  EXPECT_EQ(shell_word("n=5 T=float"), "\"n=5 T=float\"");
  for (const std::string text :
       {"", "a.cu", "my kernels/a.cu", "it's \"so\" $HOME `id` \\ !", "a'b", "*?[x]~ ;&|<>()#"}) {
    FILE* const shell = popen(("printf '%s|' " + shell_word(text)).c_str(), "r");
    ASSERT_NE(shell, nullptr);
    std::string said(256, '\0');
    said.resize(std::fread(said.data(), 1, said.size(), shell));
    pclose(shell);
    EXPECT_EQ(said, text + "|");
  }
}

}  // namespace
}  // namespace attune
