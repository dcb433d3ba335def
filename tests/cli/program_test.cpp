// `attune tune --program`: a callable of any language, here a shell script (tests/data/programs/steps.sh).
#include <map>

#include "workbench.hpp"

namespace attune::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class ProgramCommands : public Workbench {
 protected:
  static constexpr const char* program = "exec sh " ATTUNE_TEST_DATA "/programs/steps.sh";
  std::vector<std::string> tune(const std::vector<std::string>& further) const {
    std::vector<std::string> words{"tune", "--program", program, "--strategy", "exhaustive", "--problem", "n=3000"};
    words.insert(words.end(), further.begin(), further.end());
    return words;
  }
};

TEST_F(ProgramCommands, WhatCrashesHangsEndsOrIsWrongCostsOneConfiguration) {
  std::vector<std::string> words = tune({"--json"});
  const CommandResult tuned = attune(words, {.environment = {{"ATTUNE_LAUNCH_LIMIT", "0.1"}}});
  ASSERT_EQ(tuned.code, 0) << tuned.err;
  EXPECT_THAT(tuned.out, Not(HasSubstr("\nwhat a program prints")));
  std::map<int, std::string> verdicts, details;
  for (const Json& trial : of_type(events_in(tuned.out), "trial")) {
    const int step = trial["configuration"]["STEP"];
    verdicts[step] = trial["verdict"];
    if (trial.contains("detail")) details[step] = trial["detail"];
  }
  EXPECT_EQ(verdicts,
            (std::map<int, std::string>{
                {1, "ok"}, {2, "fault"}, {3, "timeout"}, {4, "fault"}, {5, "wrong_result"}, {6, "fault"}, {7, "ok"}}));
  EXPECT_THAT(details[2], HasSubstr("signal 11"));
  EXPECT_THAT(details[4], HasSubstr("ended with exit code 0"));
  EXPECT_THAT(details[5], HasSubstr("five is not right"));
  EXPECT_THAT(details[6], HasSubstr("there is no sixth step"));

  // The database knows it as it knows kernels, and the same command has its answer.
  const Json best = of_type(events_in(attune(words).out), "best").at(0);
  EXPECT_EQ(best["end"], "known");
  EXPECT_EQ(best["configuration"], Json({{"STEP", 7}}));
  const std::vector<Json> match = events_of({"plan", "--program", program, "--problem", "n=4000"});
  EXPECT_EQ(match.at(0)["rung"], "near problem");
  EXPECT_EQ(match.at(0)["configuration"], Json({{"STEP", 7}}));
  EXPECT_THAT(output_of({"show", "steps"}), HasSubstr("tuned for      time, warm"));
  EXPECT_THAT(output_of({"trials", "steps", "--verdict", "wrong_result"}), HasSubstr("five is not right"));
  output_of({"report", "steps", "-o", (folder_ / "report.html").string()});
  EXPECT_THAT(content_of(folder_ / "report.html"), HasSubstr("<h1>steps"));
}

TEST_F(ProgramCommands, WhatIsNoAnswerToTheQuestionIsAFaultOfItsConfigurationAlone) {
  const std::vector<Json> events = events_of(
      {"tune", "--program", "exec sh " ATTUNE_TEST_DATA "/programs/misspoken.sh", "--strategy", "exhaustive"});
  std::map<std::string, std::string> verdicts, details;
  for (const Json& trial : of_type(events, "trial")) {
    const std::string how = trial["configuration"]["HOW"];
    verdicts[how] = trial["verdict"];
    details[how] = trial.value("detail", "");
  }
  for (const auto& [how, verdict] : verdicts)
    EXPECT_EQ(verdict, how == "plain" || how == "fast" ? "ok" : "fault") << how << ": " << details[how];
  EXPECT_EQ(verdicts.size(), 8u);
  EXPECT_THAT(details["log"], HasSubstr(R"(answered `{"level":"info"}` to "run": expected {} or {"ns":NUMBER})"));
  EXPECT_THAT(details["twice"], AllOf(HasSubstr("more than was asked"), HasSubstr("on standard error")));
  EXPECT_THAT(details["ms"], HasSubstr(R"(`{"ms":1.2}`)"));
  EXPECT_THAT(details["text"], HasSubstr(R"(`{"ns":"fast"}`)"));
  EXPECT_THAT(details["Wrong"], HasSubstr(R"(to "check": expected {} or {"wrong":"TEXT"})"));
  EXPECT_THAT(details["null"], HasSubstr(R"(`{"wrong":null}`)"));
  EXPECT_NEAR(of_type(events, "record").at(0)["speedup"], 2, 0.01);
}

TEST_F(ProgramCommands, ASearchIsNarrowedCutShortAndGoesOn) {
  const std::vector<Json> begun = events_of(tune({"--parameters", "STEP=1,7", "--trials", "1"}));
  EXPECT_EQ(of_type(begun, "best").at(0)["end"], "partial");
  const std::vector<Json> gone_on = events_of(tune({"--parameters", "STEP=1,7"}));
  EXPECT_EQ(of_type(gone_on, "trial").size(), 1u);
  EXPECT_NEAR(of_type(gone_on, "record").at(0)["speedup"], 7, 0.01);
  EXPECT_THAT(output_of(tune({"--effort", "estimate"})), HasSubstr("STEP=7"));
}

TEST_F(ProgramCommands, WhatIsOfKernelsAloneSaysSoAndNamesTheNextStep) {
  output_of(tune({"--parameters", "STEP=1,7"}));
  const std::vector<std::string> next{"`steps` is no kernel but a callable", "attune tune --program COMMAND",
                                      "attune show steps"};
  for (const char* const command : {"tune", "cover", "check", "bench", "space", "plan", "pin"})
    expect_failure(2, {command, "steps"}, next);
  expect_failure(2, {"tune", "steps", "--revalidate"}, next);
  EXPECT_THAT(output_of({"tune", "--revalidate", "--all"}), HasSubstr("nothing to measure: 0 records"));
  expect_failure(2, tune({"--problems", "n=1..4 times 2"}), {"--program and --problems", "give --problem once"});
  for (const char* const option : {"--device", "--regime", "--objective", "--worker"})
    expect_failure(2, tune({option, "cold"}), {std::string("--program and ") + option, "leave the option out"});
  expect_failure(2, tune({"reduce"}), {"--program and KERNEL", "leave one of them out"});
}

TEST_F(ProgramCommands, AProgramThatDescribesNothingIsRefused) {
  expect_failure(1, {"tune", "--program", "exit 3"}, {"`exit 3` ended with exit code 3", "docs/callables.md"});
  expect_failure(1, {"tune", "--program", "read line; echo '{nothing'; read line"}, {"expected an object of JSON"});
  const auto describes = [](const std::string& text) { return "read line; echo '" + text + "'; read line"; };
  expect_failure(2, {"tune", "--program", describes(R"({"name":"a","speed":1})")}, {"`speed` is no member"});
  expect_failure(2, {"tune", "--program", describes(R"({"name":1})")},
                 {"`read line;", "description of a tunable has a mistake", "`name`: 1 is no text"});
  expect_failure(2, {"tune", "--program", describes(R"({"name":"a","version":"1","parameters":{"A":[[]]}})")},
                 {"`A`: [] is no boolean"});
  expect_failure(2, {"tune", "--program", program, "--problem", "m=1"}, {"the problem has no `m`"});
}

}  // namespace
}  // namespace attune::test
