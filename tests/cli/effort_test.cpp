// attune tune: efforts, stop rules, the warm start, strategies.
#include <fstream>
#include <set>

#include "cli/workbench.hpp"

namespace attune::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class TuneEffort : public Workbench {
 protected:
  // The `best` of a session, whose `reason` and `end` say why it ended.
  static void expect_end(const std::vector<Json>& events, const std::string& reason, const std::string& end) {
    EXPECT_EQ(of_type(events, "best").at(0).at("reason"), reason);
    EXPECT_EQ(of_type(events, "best").at(0).at("end"), end);
  }
};

// So that what a narrowed session finds surely beats it.
const Replacements slow_default = {{"for (int i = 0; i < ITEMS; ++i)",
                                    "if (ITEMS == 1 && blockDim.x == 64)\n    for (volatile int turns = 0; turns < "
                                    "2000; turns = turns + 1) continue;\n"
                                    "  for (int i = 0; i < ITEMS; ++i)"}};

TEST_F(TuneEffort, EstimateMeasuresNothingAndStoresNothing) {
  EXPECT_THAT(output_of({"tune", scale(), "--effort", "estimate"}),
              AllOf(HasSubstr("nothing is measured"), HasSubstr("BLOCK=64 ITEMS=1"), HasSubstr("none"),
                    HasSubstr("no wisdom for scale")));
  EXPECT_FALSE(std::filesystem::exists(database()));
}

TEST_F(TuneEffort, EstimateTakesTheNearestRecordAndSaysWhich) {
  const std::string kernel = scale_with(slow_default);
  output_of({"tune", kernel, "--problem", "n=5000", "--parameters", "BLOCK=128 ITEMS=1"});
  const auto lines = of_type(
      events_of({"tune", kernel, "--effort", "estimate", "--problem", "n=6000", "--problem", "n=100"}), "match");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].at("rung"), "near problem");
  EXPECT_EQ(lines[0].at("configuration").at("BLOCK"), 128);
  EXPECT_EQ(lines[0].at("record_problem"), "n=5000 T=float");
  EXPECT_EQ(lines[0].at("effort"), "estimate");
  EXPECT_THAT(lines[0].at("why").get<std::string>(), HasSubstr("the nearest problem"));
  EXPECT_EQ(lines[1].at("rung"), "none") << "too far";
  EXPECT_EQ(lines[1].at("configuration").at("BLOCK"), 64);
  EXPECT_EQ(count_of(output_of({"show", kernel}), "scale n="), 1u) << "stored something";
  EXPECT_THAT(output_of({"tune", kernel, "--effort", "estimate", "--problem", "n=6000", "--parameters", "BLOCK=32"}),
              HasSubstr("BLOCK=32"))
      << "what the user rules out is not given";
}

TEST_F(TuneEffort, EstimateFailsWithADatabaseThatPlanOnlyWarnsOf) {
  std::ofstream(database()) << "no wisdom at all";
  const CommandResult estimate = attune({"tune", scale(), "--effort", "estimate"});
  EXPECT_EQ(estimate.code, 1);
  EXPECT_EQ(estimate.out, "");
  const CommandResult plan = attune({"plan", scale()});
  EXPECT_EQ(plan.code, 0);
  EXPECT_THAT(plan.err, HasSubstr("no wisdom is read"));
  EXPECT_THAT(plan.out, HasSubstr("rung           none"));
}

TEST_F(TuneEffort, WisdomOnlyGivesWhatIsKnownAndSaysWhatToRunForTheRest) {
  const std::vector<std::string> command = {"tune", scale(), "--effort", "wisdom_only"};
  EXPECT_EQ(
      expect_failure(1, command,
                     {"no wisdom for scale", "attune tune " + scale() + " --problem \"n=5000 T=float\" --device host"})
          .out,
      "");
  EXPECT_FALSE(std::filesystem::exists(database()));
  output_of({"tune", scale(), "--trials", "1"});
  EXPECT_THAT(output_of(command), HasSubstr("exact"));
  const CommandResult mixed = expect_failure(
      1, {"tune", scale(), "--effort", "wisdom_only", "--problem", "n=7", "--problem", "n=5000"}, {"n=7"});
  EXPECT_THAT(mixed.out, HasSubstr("n=5000")) << "the other problem has its answer all the same";
}

TEST_F(TuneEffort, EachThatSearchesIsRecordedAndMoreAnswersForLess) {
  EXPECT_THAT(output_of({"tune", scale(), "--effort", "measure"}), HasSubstr("effort measure"));
  const auto patient = events_of({"tune", scale(), "--effort", "patient"});
  EXPECT_EQ(of_type(patient, "record").at(0).at("effort"), "patient");
  expect_end(patient, "everything_tried", "finished");
  const auto exhaustive = events_of({"tune", scale(), "--effort", "exhaustive"});
  EXPECT_EQ(of_type(exhaustive, "record").at(0).at("effort"), "exhaustive");
  EXPECT_EQ(of_type(exhaustive, "session").at(0).at("strategy"), "exhaustive");
  EXPECT_THAT(output_of({"tune", scale(), "--effort", "patient"}), HasSubstr("is tuned already (exhaustive"));
}

TEST_F(TuneEffort, PatienceEndsAndFinishesTheSession) {
  const std::string kernel = scale_of_many();
  const auto events = events_of({"tune", kernel, "--patience", "12"});
  expect_end(events, "patience", "finished");
  EXPECT_FALSE(of_type(events, "record").at(0).at("partial"));
  // Something survives first; then at least twelve trials are no improvement.
  EXPECT_GE(of_type(events, "trial").size(), 13u);
  EXPECT_THAT(output_of({"tune", kernel, "--patience", "12"}), HasSubstr("is tuned already"));
  EXPECT_THAT(output_of({"tune", kernel, "--patience", "3", "--fresh"}),
              HasSubstr("ended by patience: no improvement by 1 % in 3 trials"));
}

TEST_F(TuneEffort, ATargetEndsTheSearchAsSoonAsItIsReached) {
  const auto reached = events_of({"tune", scale(), "--target", "10s"});
  EXPECT_EQ(of_type(reached, "trial").size(), 1u) << "the default takes less than ten seconds";
  expect_end(reached, "target", "finished");
  EXPECT_THAT(output_of({"tune", scale(), "--target", "10s"}), HasSubstr("is tuned already"));
  const auto missed = events_of({"tune", scale(), "--target", "1ns"});
  EXPECT_EQ(of_type(missed, "trial").size(), 5u) << "the record misses it";
  expect_end(missed, "everything_tried", "finished");
}

TEST_F(TuneEffort, ALimitOfTimeLeavesTheBestOfTheFirstTrial) {
  const auto events = events_of({"tune", scale_of_many(), "--time-limit", "1ms", "--effort", "patient"});
  expect_end(events, "time", "partial");
  EXPECT_EQ(of_type(events, "record").size(), 1u);
}

TEST_F(TuneEffort, AWarmStartTriesWhatIsKnownOfOtherProblemsFirst) {
  const std::string kernel = scale_with(slow_default);
  output_of({"tune", kernel, "--problem", "n=4000", "--parameters", "BLOCK=128 ITEMS=1"});
  output_of({"tune", kernel, "--problem", "n=90", "--parameters", "BLOCK=32 ITEMS=2"});
  const auto events = events_of({"tune", kernel, "--trials", "3"});
  EXPECT_EQ(of_type(events, "session").at(0).at("warm_start"), 2);
  const auto trials = of_type(events, "trial");
  ASSERT_EQ(trials.size(), 3u);
  EXPECT_EQ(trials[0].at("configuration"), (Json{{"BLOCK", 64}, {"ITEMS", 1}})) << "the default is the anchor";
  const std::set<Json> warm = {trials[1].at("configuration"), trials[2].at("configuration")};
  EXPECT_EQ(warm, (std::set<Json>{{{"BLOCK", 128}, {"ITEMS", 1}}, {{"BLOCK", 32}, {"ITEMS", 2}}}));
  EXPECT_THAT(output_of({"tune", kernel, "--fresh"}), HasSubstr("warm start: 2 configurations from wisdom"));
  EXPECT_THAT(output_of({"tune", kernel, "--fresh", "--cold-start"}), Not(HasSubstr("warm start")));
}

TEST_F(TuneEffort, StrategyHelpListsEveryStrategyWithoutAKernel) {
  EXPECT_THAT(output_of({"tune", "--strategy", "help"}),
              AllOf(HasSubstr("random"), HasSubstr("exhaustive (effort exhaustive)"),
                    HasSubstr("(effort measure, patient)"), HasSubstr("every legal configuration, in index order")));
}

TEST_F(TuneEffort, AStrategyOfOnesOwnIsKnownToTheWholeCommandLine) {
  const auto tune = [this](const std::string& kernel, const std::string& strategy, const std::string& trials) {
    return run("own_strategy", {"tune", kernel, "--strategy", strategy, "--trials", trials, "--json"});
  };
  EXPECT_THAT(run("own_strategy", {"tune", "--strategy", "help"}).out,
              HasSubstr("mine\n  neighbours of the best so far\n    jump"));
  const CommandResult result = tune(scale(), "mine:jump=0.20", "99");
  ASSERT_EQ(result.code, 0) << result.err;
  const auto events = events_in(result.out);
  EXPECT_EQ(of_type(events, "session").at(0).at("strategy"), "mine:jump=0.2");
  EXPECT_EQ(of_type(events, "trial").size(), 5u) << "each configuration once";
  expect_end(events, "everything_tried", "finished");
  EXPECT_THAT(run("own_strategy", {"tune", scale(), "--strategy", "mine:jump=0.2"}).out, HasSubstr("is tuned already"))
      << "the same, written otherwise, is the same session";
  EXPECT_EQ(tune(scale(), "mine:jump=2", "1").code, 2);
  EXPECT_EQ(attune({"tune", scale(), "--strategy", "mine"}).code, 2) << "attune itself does not know it";
  EXPECT_EQ(tune("reduce", "mine", "3").code, 0) << "a built-in kernel";
}

}  // namespace
}  // namespace attune::test
