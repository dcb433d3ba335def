#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/workbench.hpp"

namespace attune::test {
namespace {

using testing::HasSubstr;
using testing::Not;

std::vector<nlohmann::json> lines_of(const std::string& text) {
  std::vector<nlohmann::json> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(nlohmann::json::parse(line));
  return lines;
}

std::vector<nlohmann::json> of_type(const std::vector<nlohmann::json>& lines, const std::string& type) {
  std::vector<nlohmann::json> found;
  for (const auto& line : lines)
    if (line.at("type") == type) found.push_back(line);
  return found;
}

class Tune : public Workbench {};

TEST_F(Tune, FindsARecordAndSaysWhatItGained) {
  const CommandResult result = attune({"tune", scale()});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("tuning scale for n=5000 T=float"));
  EXPECT_THAT(result.out, HasSubstr("5 legal configurations of 6 combinations"));
  EXPECT_THAT(result.out, HasSubstr("default"));
  EXPECT_THAT(result.out, HasSubstr("best"));
  EXPECT_THAT(result.out, HasSubstr("5 trials, 5 right"));
  EXPECT_THAT(result.out, Not(HasSubstr("\r"))) << "draws progress without a terminal";
}

TEST_F(Tune, AFinishedSessionPrintsItsRecordAndDoesNotSearchAgain) {
  ASSERT_EQ(attune({"tune", scale()}).code, 0);
  const CommandResult again = attune({"tune", scale()});
  EXPECT_EQ(again.code, 0);
  EXPECT_THAT(again.out, HasSubstr("is tuned already"));
  EXPECT_THAT(again.out, Not(HasSubstr("tuning scale")));
  const CommandResult fresh = attune({"tune", scale(), "--fresh"});
  EXPECT_EQ(fresh.code, 0);
  EXPECT_THAT(fresh.out, HasSubstr("tuning scale"));
}

TEST_F(Tune, APartialSessionGoesOnWhereItEnded) {
  const CommandResult first = attune({"tune", scale(), "--trials", "2", "--json"});
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(of_type(lines_of(first.out), "trial").size(), 2u);
  EXPECT_EQ(of_type(lines_of(first.out), "best").at(0).at("end"), "partial");
  EXPECT_TRUE(of_type(lines_of(first.out), "record").at(0).at("partial"));
  const CommandResult second = attune({"tune", scale(), "--json"});
  ASSERT_EQ(second.code, 0) << second.err;
  EXPECT_EQ(of_type(lines_of(second.out), "session").at(0).at("trials_before"), 2);
  EXPECT_EQ(of_type(lines_of(second.out), "trial").size(), 3u);
  EXPECT_EQ(of_type(lines_of(second.out), "best").at(0).at("end"), "finished");
}

TEST_F(Tune, JsonTellsSessionTrialsBestAndRecord) {
  const CommandResult result = attune({"tune", scale(), "--json", "--problem", "n=2**12 T=int32", "--seed", "5"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto lines = lines_of(result.out);
  const auto session = of_type(lines, "session").at(0);
  EXPECT_EQ(session.at("problem").at("n"), 4096);
  EXPECT_EQ(session.at("seed"), 5);
  for (const auto& trial : of_type(lines, "trial")) {
    EXPECT_EQ(trial.at("verdict"), "ok") << trial;
    EXPECT_GT(trial.at("median_ns"), 0);
    EXPECT_TRUE(trial.at("configuration").contains("BLOCK"));
    EXPECT_TRUE(trial.contains("compile_ms"));
  }
  const auto best = of_type(lines, "best").at(0);
  const auto record = of_type(lines, "record").at(0);
  EXPECT_EQ(best.at("configuration"), record.at("configuration"));
  EXPECT_GE(best.at("speedup"), 1.0);
}

TEST_F(Tune, SeveralProblemsAreTunedInTurn) {
  const CommandResult result = attune({"tune", scale(), "--problem", "n=100", "--problem", "n=200"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("n=100 "));
  EXPECT_THAT(result.out, HasSubstr("n=200 "));
}

TEST_F(Tune, NarrowedParametersNarrowTheSpace) {
  const CommandResult result = attune({"tune", scale(), "--parameters", "BLOCK=32 ITEMS=1,2"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("2 legal configurations of 2 combinations"));
}

TEST_F(Tune, WhatAnotherSessionMeasuredIsNotMeasuredAgain) {
  ASSERT_EQ(attune({"tune", scale(), "--trials", "3"}).code, 0);
  const CommandResult result = attune({"tune", scale(), "--effort", "exhaustive", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(count_of(result.out, "\"from_log\":true"), 2u);  // the default is measured anew: it is the anchor
  EXPECT_EQ(of_type(lines_of(result.out), "trial").size(), 5u);
  const CommandResult fresh = attune({"tune", scale(), "--effort", "exhaustive", "--fresh", "--json"});
  EXPECT_EQ(count_of(fresh.out, "\"from_log\":true"), 0u);
  // More effort answers a request for less.
  EXPECT_THAT(attune({"tune", scale()}).out, HasSubstr("exhaustive"));
}

TEST_F(Tune, ScoresOfANarrowedSessionAreNotMixedIn) {
  // Another space may have another default, and with it another anchor.
  ASSERT_EQ(attune({"tune", scale(), "--parameters", "BLOCK=32"}).code, 0);
  const CommandResult result = attune({"tune", scale(), "--effort", "exhaustive", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(count_of(result.out, "\"from_log\":true"), 0u);
}

TEST_F(Tune, ACorrectedCheckIsTriedAnew) {
  const std::string file = scale_with("y[i] = x[i] + x[i] + x[i]", "y[i] = x[i] * T(3.001)");
  ASSERT_EQ(attune({"tune", file}).code, 3);
  scale_with("[metrics]", "[check]\nrelative = 0.01\n[metrics]");
  std::ifstream in(file);
  std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  text.replace(text.find("y[i] = x[i] + x[i] + x[i]"), 25, "y[i] = x[i] * T(3.001)");
  std::ofstream(file) << text;
  const CommandResult result = attune({"tune", file});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("5 right"));
}

TEST_F(Tune, AConfigurationThatCannotBeResolvedIsATrialLikeAnyOther) {
  std::string file = scale_with("n = { type = \"int64\" }",
                                "n = { type = \"int64\" }\nk = { type = \"int8\", value = \"BLOCK * ITEMS\" }");
  std::ifstream in(file);
  std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const auto replace = [&](const std::string& before, const std::string& after) {
    text.replace(text.find(before), before.size(), after);
  };
  replace("arguments = [\"y\", \"x\", \"n\"]", "arguments = [\"y\", \"x\", \"n\", \"k\"]");
  replace("const T* x, long long n)", "const T* x, long long n, signed char)");
  std::ofstream(file) << text;
  const CommandResult result = attune({"tune", file, "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(count_of(result.out, "\"verdict\":\"launch_error\""), 2u) << result.out;  // 128 does not fit int8
  EXPECT_THAT(result.out, HasSubstr("int8"));
}

TEST_F(Tune, AConfigurationThatChangesItsInputHarmsNoOther) {
  const std::string file =
      scale_with("T(3) * x[first + i];",
                 "T(3) * x[first + i], blockDim.x == 128 ? (void)(const_cast<T*>(x)[first + i] = 7) : (void)0;");
  const CommandResult result = attune({"tune", file, "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(count_of(result.out, "\"verdict\":\"guard\""), 1u);
  EXPECT_EQ(count_of(result.out, "\"verdict\":\"ok\""), 4u);
  EXPECT_THAT(result.out, HasSubstr("changed its input `x`"));
}

TEST_F(Tune, WhatAConfigurationLeavesUnwrittenIsWrong) {
  const std::string file = scale_with("if (first + i < n)", "if (first + i < n && blockDim.x != 128)");
  const CommandResult result = attune({"tune", file, "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(count_of(result.out, "\"verdict\":\"wrong_result\""), 1u);
  EXPECT_EQ(count_of(result.out, "\"verdict\":\"ok\""), 4u);
}

TEST_F(Tune, WhatIsReadAndWrittenIsRestoredBeforeEverySample) {
  const std::string file = scale_with("role = \"out\"", "role = \"inout\", fill = \"constant(1)\"");
  std::ifstream in(file);
  std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const std::string before = "if (first + i < n) ";
  text.replace(text.find(before), before.size(),
               "if (first + i < n && blockDim.x == 128 && y[first + i] != T(1)) __trap();\n    else " + before);
  std::ofstream(file) << text;
  const CommandResult result = attune({"tune", file, "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(count_of(result.out, "\"verdict\":\"ok\""), 5u) << result.out;
}

TEST_F(Tune, ALimitCountsForEachRunAndTheLastRunFinishes) {
  EXPECT_THAT(attune({"tune", scale(), "--trials", "2"}).out, HasSubstr("partial"));
  const CommandResult second = attune({"tune", scale(), "--trials", "2", "--json"});
  EXPECT_EQ(of_type(lines_of(second.out), "trial").size(), 2u);
  const CommandResult third = attune({"tune", scale(), "--trials", "1", "--json"});
  EXPECT_EQ(of_type(lines_of(third.out), "best").at(0).at("end"), "finished");
}

TEST_F(Tune, GivesUpWhenNothingSurvives) {
  std::string values = "[64";
  for (int i = 1; i <= 400; ++i)
    if (i != 64) values += ", " + std::to_string(i);
  std::string file = scale_with("BLOCK = [64, 32, 128]", "BLOCK = " + values + "]");
  std::ifstream in(file);
  std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  text.replace(text.find("T(3) *"), 6, "T(4) *");
  std::ofstream(file) << text;
  const CommandResult result = attune({"tune", file, "--json"});
  EXPECT_EQ(result.code, 3);
  // The first fifty, and the one that the device worker had begun.
  EXPECT_EQ(of_type(lines_of(result.out), "trial").size(), 51u);
  EXPECT_THAT(result.err, HasSubstr("none of the 51 configurations tried survived, 51 wrong_result"));
}

TEST_F(Tune, AnInterruptKeepsTheBestSoFar) {
  // Many values, so that the search is still under way when the signal comes.
  std::string values = "[64";
  for (int i = 1; i <= 400; ++i)
    if (i != 64) values += ", " + std::to_string(i);
  CommandOptions options;
  options.signal_when = [](const std::string& out) { return count_of(out, "\"type\":\"trial\"") >= 3 ? SIGINT : 0; };
  std::string kernel = scale_with("BLOCK = [64, 32, 128]", "BLOCK = " + values + "]");
  const CommandResult result = attune({"tune", kernel, "--json"}, options);
  EXPECT_EQ(result.code, 130) << result.err;
  ASSERT_EQ(of_type(lines_of(result.out), "record").size(), 1u) << result.out;
  const CommandResult plan = attune({"plan", kernel});
  EXPECT_THAT(plan.out, HasSubstr("exact"));
}

TEST_F(Tune, AKillLosesNothingThatWasTold) {
  std::string values = "[64";
  for (int i = 1; i <= 400; ++i)
    if (i != 64) values += ", " + std::to_string(i);
  CommandOptions options;
  options.signal_when = [](const std::string& out) { return count_of(out, "\"type\":\"trial\"") >= 5 ? SIGKILL : 0; };
  const std::string kernel = scale_with("BLOCK = [64, 32, 128]", "BLOCK = " + values + "]");
  const CommandResult killed = attune({"tune", kernel, "--json"}, options);
  EXPECT_EQ(killed.code, 128 + SIGKILL);
  const auto told = static_cast<std::int64_t>(count_of(killed.out, "\"type\":\"trial\""));
  const CommandResult again = attune({"tune", kernel, "--json", "--trials", std::to_string(told + 20)});
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_GE(of_type(lines_of(again.out), "session").at(0).at("trials_before"), told);
}

}  // namespace
}  // namespace attune::test
