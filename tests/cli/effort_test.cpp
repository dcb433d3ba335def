// attune tune: efforts, stop rules, the warm start, strategies.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "cli/workbench.hpp"

namespace attune::test {
namespace {

using testing::HasSubstr;
using testing::Not;

std::vector<nlohmann::json> of_type(const std::string& text, const std::string& type) {
  std::vector<nlohmann::json> found;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    const auto object = nlohmann::json::parse(line);
    if (object.at("type") == type) found.push_back(object);
  }
  return found;
}

class TuneEffort : public Workbench {
 protected:
  // Of many configurations that differ in launch parameters alone: one image, so that trials are fast.
  std::string many() const {
    std::string values = "[64";
    for (int i = 32; i <= 512; i += 4)
      if (i != 64) values += ", " + std::to_string(i);
    return scale_with("BLOCK = [64, 32, 128]", "BLOCK = " + values + "]");
  }
};

TEST_F(TuneEffort, EstimateMeasuresNothingAndStoresNothing) {
  const CommandResult result = attune({"tune", scale(), "--effort", "estimate"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("nothing is measured"));
  EXPECT_THAT(result.out, HasSubstr("BLOCK=64 ITEMS=1"));
  EXPECT_THAT(result.out, HasSubstr("none"));
  EXPECT_THAT(result.out, HasSubstr("no wisdom for scale"));
  EXPECT_FALSE(std::filesystem::exists(database()));
}

TEST_F(TuneEffort, EstimateTakesTheNearestRecordAndSaysWhich) {
  ASSERT_EQ(attune({"tune", scale(), "--problem", "n=5000", "--parameters", "BLOCK=128 ITEMS=1"}).code, 0);
  const CommandResult result =
      attune({"tune", scale(), "--effort", "estimate", "--problem", "n=6000", "--problem", "n=100", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto lines = of_type(result.out, "match");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].at("rung"), "near problem");
  EXPECT_EQ(lines[0].at("configuration").at("BLOCK"), 128);
  EXPECT_EQ(lines[0].at("record_problem"), "n=5000 T=float");
  EXPECT_EQ(lines[0].at("effort"), "estimate");
  EXPECT_THAT(lines[0].at("why").get<std::string>(), HasSubstr("the nearest problem"));
  EXPECT_EQ(lines[1].at("rung"), "none") << "too far";
  EXPECT_EQ(lines[1].at("configuration").at("BLOCK"), 64);
  EXPECT_EQ(count_of(attune({"show", scale()}).out, "scale n="), 1u) << "stored something";
  // What the user rules out is not given.
  EXPECT_THAT(attune({"tune", scale(), "--effort", "estimate", "--problem", "n=6000", "--parameters", "BLOCK=32"}).out,
              HasSubstr("BLOCK=32"));
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

TEST_F(TuneEffort, WisdomOnlyFailsWithoutWisdomAndSaysWhatToRun) {
  const CommandResult result = attune({"tune", scale(), "--effort", "wisdom_only"});
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("no wisdom for scale"));
  EXPECT_THAT(result.err, HasSubstr("attune tune " + scale() + " --problem \"n=5000 T=float\" --device host"));
  EXPECT_FALSE(std::filesystem::exists(database()));
}

TEST_F(TuneEffort, WisdomOnlyGivesWhatIsKnown) {
  ASSERT_EQ(attune({"tune", scale(), "--trials", "1"}).code, 0);
  const CommandResult known = attune({"tune", scale(), "--effort", "wisdom_only"});
  EXPECT_EQ(known.code, 0) << known.err;
  EXPECT_THAT(known.out, HasSubstr("exact"));
  const CommandResult mixed =
      attune({"tune", scale(), "--effort", "wisdom_only", "--problem", "n=7", "--problem", "n=5000"});
  EXPECT_EQ(mixed.code, 1);
  EXPECT_THAT(mixed.err, HasSubstr("n=7"));
  EXPECT_THAT(mixed.out, HasSubstr("n=5000")) << "the other problem has its answer all the same";
}

TEST_F(TuneEffort, EachThatSearchesIsRecordedAndMoreAnswersForLess) {
  EXPECT_THAT(attune({"tune", scale(), "--effort", "measure"}).out, HasSubstr("effort measure"));
  const CommandResult patient = attune({"tune", scale(), "--effort", "patient", "--json"});
  ASSERT_EQ(patient.code, 0) << patient.err;
  EXPECT_EQ(of_type(patient.out, "record").at(0).at("effort"), "patient");
  EXPECT_EQ(of_type(patient.out, "best").at(0).at("reason"), "everything_tried");
  const CommandResult exhaustive = attune({"tune", scale(), "--effort", "exhaustive", "--json"});
  EXPECT_EQ(of_type(exhaustive.out, "record").at(0).at("effort"), "exhaustive");
  EXPECT_EQ(of_type(exhaustive.out, "session").at(0).at("strategy"), "exhaustive");
  EXPECT_THAT(attune({"tune", scale(), "--effort", "patient"}).out, HasSubstr("is tuned already (exhaustive"));
}

TEST_F(TuneEffort, AnUnknownOneIsUsageWithTheNearest) {
  const CommandResult result = attune({"tune", scale(), "--effort", "exhaustiv"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("did you mean `exhaustive`?"));
}

TEST_F(TuneEffort, PatienceEndsAndFinishesTheSession) {
  const std::string kernel = many();
  const CommandResult result = attune({"tune", kernel, "--patience", "12", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto best = of_type(result.out, "best").at(0);
  EXPECT_EQ(best.at("reason"), "patience");
  EXPECT_EQ(best.at("end"), "finished");
  EXPECT_FALSE(of_type(result.out, "record").at(0).at("partial"));
  // Something survives first; then at least twelve trials are no improvement.
  EXPECT_GE(of_type(result.out, "trial").size(), 13u);
  EXPECT_THAT(attune({"tune", kernel, "--patience", "12"}).out, HasSubstr("is tuned already"));
}

TEST_F(TuneEffort, PatienceIsShownInWords) {
  EXPECT_THAT(attune({"tune", many(), "--patience", "3"}).out,
              HasSubstr("ended by patience: no improvement by 1 % in 3 trials"));
}

TEST_F(TuneEffort, ATargetEndsTheSearchAsSoonAsItIsReached) {
  const CommandResult result = attune({"tune", many(), "--target", "10s", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(of_type(result.out, "trial").size(), 1u) << "the default takes less than ten seconds";
  EXPECT_EQ(of_type(result.out, "best").at(0).at("reason"), "target");
  EXPECT_EQ(of_type(result.out, "best").at(0).at("end"), "finished");
}

TEST_F(TuneEffort, ATargetThatIsKnownToBeReachedIsNotSearchedFor) {
  ASSERT_EQ(attune({"tune", scale(), "--trials", "1"}).code, 0);
  EXPECT_THAT(attune({"tune", scale(), "--target", "10s"}).out, HasSubstr("is tuned already"));
}

TEST_F(TuneEffort, ATargetThatTheRecordMissesIsSearchedFor) {
  ASSERT_EQ(attune({"tune", scale(), "--target", "10s"}).code, 0);
  const CommandResult result = attune({"tune", scale(), "--target", "1ns", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(of_type(result.out, "trial").size(), 5u);
  EXPECT_EQ(of_type(result.out, "best").at(0).at("reason"), "everything_tried");
}

TEST_F(TuneEffort, LimitsOfTimeAndTrialsAreNamed) {
  const std::string kernel = many();
  const CommandResult trials = attune({"tune", kernel, "--trials", "2", "--json"});
  EXPECT_EQ(of_type(trials.out, "best").at(0).at("reason"), "trials");
  EXPECT_EQ(of_type(trials.out, "best").at(0).at("end"), "partial");
  // A limit that is over before the first trial still leaves the best of that one.
  const CommandResult time = attune({"tune", kernel, "--time-limit", "1ms", "--effort", "patient", "--json"});
  ASSERT_EQ(time.code, 0) << time.err;
  EXPECT_EQ(of_type(time.out, "best").at(0).at("reason"), "time");
  EXPECT_EQ(of_type(time.out, "best").at(0).at("end"), "partial");
  EXPECT_EQ(of_type(time.out, "record").size(), 1u);
}

TEST_F(TuneEffort, BadStopRulesAreUsage) {
  for (const auto& [option, value] : std::vector<std::pair<std::string, std::string>>{
           {"--target", "2"}, {"--target", "fast"}, {"--target", "0x"}, {"--patience", "0"}, {"--patience", "some"}}) {
    const CommandResult result = attune({"tune", scale(), option, value});
    EXPECT_EQ(result.code, 2) << option << " " << value;
    EXPECT_THAT(result.err, HasSubstr("`" + value + "`"));
  }
}

TEST_F(TuneEffort, AWarmStartTriesWhatIsKnownOfOtherProblemsFirst) {
  ASSERT_EQ(attune({"tune", scale(), "--problem", "n=4000", "--parameters", "BLOCK=128 ITEMS=1"}).code, 0);
  ASSERT_EQ(attune({"tune", scale(), "--problem", "n=90", "--parameters", "BLOCK=32 ITEMS=2"}).code, 0);
  const CommandResult result = attune({"tune", scale(), "--trials", "3", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(of_type(result.out, "session").at(0).at("warm_start"), 2);
  const auto trials = of_type(result.out, "trial");
  ASSERT_EQ(trials.size(), 3u);
  EXPECT_EQ(trials[0].at("configuration"), (nlohmann::json{{"BLOCK", 64}, {"ITEMS", 1}}))
      << "the default is the anchor";
  std::set<nlohmann::json> warm = {trials[1].at("configuration"), trials[2].at("configuration")};
  EXPECT_EQ(warm, (std::set<nlohmann::json>{{{"BLOCK", 128}, {"ITEMS", 1}}, {{"BLOCK", 32}, {"ITEMS", 2}}}));
  EXPECT_THAT(attune({"tune", scale(), "--fresh"}).out, HasSubstr("warm start: 2 configurations from wisdom"));
  EXPECT_THAT(attune({"tune", scale(), "--fresh", "--cold-start"}).out, Not(HasSubstr("warm start")));
}

TEST_F(TuneEffort, StrategyHelpListsEveryStrategyWithoutAKernel) {
  const CommandResult result = attune({"tune", "--strategy", "help"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("random"));
  EXPECT_THAT(result.out, HasSubstr("exhaustive (effort exhaustive)"));
  EXPECT_THAT(result.out, HasSubstr("(effort measure, patient)"));
  EXPECT_THAT(result.out, HasSubstr("every legal configuration, in index order"));
}

TEST_F(TuneEffort, UnknownStrategiesAndOptionsAreUsage) {
  const CommandResult name = attune({"tune", scale(), "--strategy", "randon"});
  EXPECT_EQ(name.code, 2);
  EXPECT_THAT(name.err, HasSubstr("did you mean `random`?"));
  const CommandResult option = attune({"tune", scale(), "--strategy", "random:speed=3"});
  EXPECT_EQ(option.code, 2);
  EXPECT_THAT(option.err, HasSubstr("strategy `random` has no option `speed`"));
}

TEST_F(TuneEffort, AStrategyOfOnesOwnIsKnownToTheWholeCommandLine) {
  const CommandResult help = run("own_strategy", {"tune", "--strategy", "help"});
  ASSERT_EQ(help.code, 0) << help.err;
  EXPECT_THAT(help.out, HasSubstr("mine\n  neighbours of the best so far\n    jump"));
  const CommandResult result =
      run("own_strategy", {"tune", scale(), "--device", "host", "--strategy", "mine:jump=0.20", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(of_type(result.out, "session").at(0).at("strategy"), "mine:jump=0.2");
  EXPECT_EQ(of_type(result.out, "trial").size(), 5u) << "each configuration once";
  EXPECT_EQ(of_type(result.out, "best").at(0).at("reason"), "everything_tried");
  // The same, written otherwise, is the same session.
  EXPECT_THAT(run("own_strategy", {"tune", scale(), "--strategy", "mine:jump=0.2"}).out, HasSubstr("is tuned already"));
  EXPECT_EQ(run("own_strategy", {"tune", scale(), "--strategy", "mine:jump=2"}).code, 2);
  EXPECT_EQ(attune({"tune", scale(), "--strategy", "mine"}).code, 2) << "attune itself does not know it";
}

TEST_F(TuneEffort, TheExampleTunesABuiltInKernel) {
  const CommandResult result =
      run("own_strategy", {"tune", "reduce", "--device", "host", "--strategy", "mine", "--trials", "3"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("strategy mine"));
}

}  // namespace
}  // namespace attune::test
