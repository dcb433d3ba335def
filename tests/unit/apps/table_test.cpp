// Tables, and text in lines: what a terminal of 80 columns shows, since a test has none.
#include "apps/attune/table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/attune/configuration_text.hpp"
#include "apps/attune/text.hpp"

namespace attune::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(Table, StandsInColumnsAndLeavesEmptyOnesOut) {
  EXPECT_EQ(
      table_text({{"step", "time", "rate", "in all"}, {"naive", "1.3 ms", "", "1x"}, {"padded", "195 us", "", "6x"}}),
      "                 in\n"
      "step      time  all\n"
      "naive   1.3 ms   1x\n"
      "padded  195 us   6x\n");
  EXPECT_EQ(table_text({}), "");
  EXPECT_EQ(table_text({{"step", "time"}}), "step\n") << "a head alone";
  EXPECT_EQ(table_text({{"a", "b"}, {"1"}}), "a\n1\n") << "a row may be short";
}

TEST(Table, BreaksTheFirstColumnWhereItIsTooWide) {
  const std::string long_name = "a name of many words that goes on and on", figures(50, '9');
  EXPECT_EQ(table_text({{"step", "time"}, {long_name, figures}}),
            "step" + std::string(72, ' ') + "time\na name of many words that     " + figures + "\ngoes on and on\n");
  const std::string word(100, 'w');
  EXPECT_THAT(table_text({{"step", "time"}, {word, figures}}),
              AllOf(HasSubstr(std::string(28, 'w') + "  " + figures + "\n"), Not(HasSubstr(std::string(29, 'w')))))
      << "a word that is too long is cut";
}

TEST(Table, ShowsControlCharactersAndCountsThem) {
  EXPECT_EQ(table_text({{"n", "t"}, {"\x1b", "1"}, {"a", "2"}}), "n     t\n\\x1b  1\na     2\n");
}

TEST(Configurations, AreShownAsWhatDiffers) {
  const Configuration base{{"A", 1}, {"B", 2}}, other{{"A", 1}, {"B", 3}};
  EXPECT_EQ(difference_text(other, base, "the default"), "B=3");
  EXPECT_EQ(difference_text(base, base, "the default"), "the default");
  EXPECT_EQ(difference_text(other, {}, "the default"), "A=1 B=3") << "no base: whole";
  EXPECT_EQ(difference_text({}, {}, "the default"), "no parameters");
  const std::vector<ShownConfiguration> list{
      {"first", base, ""}, {"copy", {}, "bytes"}, {"second", other, ""}, {"third", other, ""}};
  EXPECT_EQ(configurations_text(list, Beside::previous),
            "configurations: the first whole, of the others what differs from the one above\n"
            "  first: A=1 B=2\n  copy: bytes\n  second: B=3\n  third: as second\n");
  EXPECT_THAT(configurations_text(list, Beside::first), HasSubstr("  second: B=3\n  third: B=3\n"));
  EXPECT_EQ(configurations_text(list, Beside::none),
            "  first: A=1 B=2\n  copy: bytes\n  second: A=1 B=3\n  third: A=1 B=3\n");
  EXPECT_EQ(configurations_text({{"one", {}, ""}}, Beside::first), "  one: no parameters\n");
}

TEST(TextAndCommand, IsACommandInALineOfItsOwn) {
  const std::string command =
      "attune tune reduce --problem \"n=16777216 T=float OP=Op::sum\" --regime stream --device host";
  EXPECT_EQ(in_lines_with_command("no record; to make one: " + command, 8),
            "no record; to make one:\n        " + command);
  EXPECT_EQ(in_lines_with_command("the nearest problem (try: " + command + ")", 8),
            "the nearest problem\n        " + command);
  EXPECT_EQ(advice_in("the cache is full: remove it").command, "");
  EXPECT_EQ(advice_in("an error: attune tune fails\nwith a log").command, "") << "a log is no command";
}

TEST(Lines, BeginBelowWhereHardlyAnythingFits) {
  const std::string words = "some words that do not fit there";
  EXPECT_THAT(in_lines(words, 70), StartsWith("\n        some words"));
  EXPECT_EQ(in_lines("fits", 70), "fits");
}

TEST(Times, HaveFourDigits) {
  EXPECT_EQ(time_text(195'000), "195.0 us");
  EXPECT_EQ(time_text(999'960), "1.000 ms") << "what rounds up";
  EXPECT_EQ(time_text(0.5), "0.500 ns");
  EXPECT_EQ(time_text(1'000'499, 999'000, 9'500'000), "1.000 ms [0.999, 9.500]") << "one unit, not rounded twice";
}

}  // namespace
}  // namespace attune::cli
