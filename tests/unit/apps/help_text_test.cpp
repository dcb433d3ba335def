#include "apps/terminal/help_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/program_options.hpp>

namespace attune::cli {
namespace {

namespace po = boost::program_options;

TEST(HelpText, IsBrokenBetweenWordsAlone) {
  EXPECT_EQ(wrapped("one two three", 9, 0), "one two\nthree");
  EXPECT_EQ(wrapped("one two three", 11, 4), "one two\n    three");
  EXPECT_EQ(wrapped("a a_word_that_is_longer_than_all b", 8, 2), "a\n  a_word_that_is_longer_than_all\n  b");
  EXPECT_EQ(wrapped("first:\n  second", 80, 3), "first:\n   second") << "line ends stay";
  EXPECT_EQ(wrapped("ä ö ü ß", 3, 0), "ä ö\nü ß") << "characters count, not bytes";
  EXPECT_EQ(wrapped("", 80, 3), "");
}

TEST(HelpText, NamesWhatOptionsTake) {
  po::options_description options;
  options.add_options()("problem,p", po::value<std::string>()->value_name("PROBLEM"), "what")("json", "for programs")(
      "a-name-that-needs-its-own-line", po::value<std::string>()->value_name("FILE"), "below");
  EXPECT_EQ(options_text(options, 80),
            "  -p, --problem PROBLEM     what\n"
            "  --json                    for programs\n"
            "  --a-name-that-needs-its-own-line FILE\n"
            "                            below\n");
}

TEST(HelpText, ExamplesStayCommandsOfAShell) {
  EXPECT_EQ(examples_text("  attune list   # short\n", 80), "  attune list   # short\n");
  EXPECT_EQ(examples_text("  attune plan my_kernel.cu   # too long\n", 30),
            "  # too long\n  attune plan my_kernel.cu\n");
  EXPECT_EQ(examples_text("  attune plan a.cu --problem \"n=1 T=float\"\n", 30),
            "  attune plan a.cu --problem \\\n      \"n=1 T=float\"\n");
  EXPECT_EQ(examples_text("\nProse that is long.\n", 12), "\nProse that\nis long.\n");
}

TEST(HelpText, TheBeginningOfATextHasWholeCharacters) {
  EXPECT_EQ(first_columns("äöü", 2), "äö");
  EXPECT_EQ(first_columns("abc", 5), "abc");
  EXPECT_EQ(first_columns("abc", 0), "");
}

}  // namespace
}  // namespace attune::cli
