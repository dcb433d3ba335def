// --objective: what is minimised, and what is traded off.
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
  output_of(tune("time"));
  EXPECT_THAT(output_of(tune("time, shared + 1")),
              AllOf(HasSubstr("over the default"), HasSubstr("trade-offs:"), HasSubstr("shared + 1")));
  const std::string shown = output_of({"show", scale()});
  EXPECT_EQ(count_of(shown, "scale n=5000"), 2u);
  EXPECT_THAT(shown, AllOf(HasSubstr("tuned for      time, shared + 1, cold"), HasSubstr("trade-offs:"),
                           HasSubstr("numerics       off the reference by")));
  EXPECT_THAT(on_one_line(shown), HasSubstr("; repeats bit for bit"));
  EXPECT_THAT(output_of(tune(" time,shared + 1 ")), HasSubstr("tuned already")) << "the same, otherwise written";
}

TEST_F(TuneObjective, AFormulaIsMinimisedAndToldWithItsTime) {
  EXPECT_THAT(output_of(tune("time * time / bytes")),
              AllOf(HasSubstr("in `time * time / bytes`"), HasSubstr("; in time ")));
  const auto plan = [this](const std::string& option, const std::string& value) {
    return output_of({"plan", scale(), "--problem", "n=5000", option, value});
  };
  EXPECT_THAT(plan("--objective", "time * time / bytes"), HasSubstr("exact"));
  EXPECT_THAT(plan("--objective", "time"), Not(HasSubstr("exact")));
  EXPECT_THAT(plan("--regime", "warm"), HasSubstr("--regime warm"));
}

// Nothing on the host device is known of registers.
TEST_F(TuneObjective, OneThatIsZeroSomewhereSaysWhatToWrite) {
  expect_failure(1, tune("registers"), {"must be greater than 0 everywhere", "`registers + 1`"});
  const CommandResult second = attune(tune("time, registers"));
  EXPECT_EQ(second.code, 1);
  EXPECT_THAT(second.err, HasSubstr("`registers + 1`"));
  EXPECT_THAT(second.out, Not(HasSubstr("comparing"))) << "it is said only after the whole search";
}

}  // namespace
}  // namespace attune::test
