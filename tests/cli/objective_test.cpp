// --objective: what is minimised, what is traded off, and what is no objective.
#include <gmock/gmock.h>

#include "cli/workbench.hpp"

namespace attune::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class TuneObjective : public Workbench {
 protected:
  std::vector<std::string> tune(const std::string& objective) const {
    return {"tune", scale(), "--problem", "n=5000", "--objective", objective};
  }
};

TEST_F(TuneObjective, SeveralAreTradedOffAndKeptApartFromTimes) {
  ASSERT_EQ(attune(tune("time")).code, 0);
  const CommandResult result = attune(tune("time, shared + 1"));
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("] over the default"), HasSubstr("trade-offs:"), HasSubstr("shared + 1")));
  const CommandResult shown = attune({"show", scale()});
  EXPECT_EQ(count_of(shown.out, "scale n=5000"), 2u);
  EXPECT_THAT(shown.out, AllOf(HasSubstr("tuned for      time, shared + 1, cold caches"), HasSubstr("trade-offs:"),
                               HasSubstr("numerics       off the reference by"), HasSubstr("repeats bit for bit")));
  const CommandResult again = attune(tune(" time,shared + 1 "));
  EXPECT_THAT(again.out, HasSubstr("tuned already")) << "the same objectives, otherwise written";
}

TEST_F(TuneObjective, AFormulaIsMinimisedAndToldWithItsTime) {
  const CommandResult result = attune(tune("time * time / bytes"));
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("in `time * time / bytes`"), HasSubstr("; in time ")));
  const CommandResult planned = attune({"plan", scale(), "--problem", "n=5000", "--objective", "time * time / bytes"});
  EXPECT_THAT(planned.out, HasSubstr("exact"));
  EXPECT_THAT(attune({"plan", scale(), "--problem", "n=5000"}).out, Not(HasSubstr("exact")));
  EXPECT_THAT(attune({"plan", scale(), "--problem", "n=5000", "--regime", "warm"}).out, HasSubstr("--regime warm"));
}

TEST_F(TuneObjective, ThatAreNoneAreUsage) {
  const auto expect_usage = [&](const std::string& objective, const std::string& why) {
    const CommandResult result = attune(tune(objective));
    EXPECT_EQ(result.code, 2) << objective;
    EXPECT_THAT(result.err, HasSubstr(why)) << objective;
  };
  expect_usage("tiem", "names tiem; known: time, energy");
  expect_usage("time,,registers", "an objective is missing");
  expect_usage("2", "the same for every configuration");
  expect_usage("time +", "time +");
  expect_usage("energy", "does not report");
  expect_usage("time / flops", "needs flops, which [metrics] of scale does not give");
}

// Nothing on the host device is known of registers.
TEST_F(TuneObjective, OneThatIsZeroSomewhereSaysWhatToWrite) {
  const CommandResult result = attune(tune("registers"));
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("must be greater than 0 everywhere"));
  EXPECT_THAT(result.err, HasSubstr("`registers + 1`"));
  const CommandResult second = attune(tune("time, registers"));
  EXPECT_EQ(second.code, 1);
  EXPECT_THAT(second.err, HasSubstr("`registers + 1`"));
  EXPECT_THAT(second.out, Not(HasSubstr("comparing"))) << "told behind the whole search";
}

}  // namespace
}  // namespace attune::test
