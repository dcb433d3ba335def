// Sessions in the formats of other tuners. A test of the command line has the tools themselves read them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "exports/kernel_tuner_cache.hpp"
#include "exports/optuna_journal.hpp"
#include "exports/t4_results.hpp"
#include "recordings/recording_file.hpp"

namespace attune::test {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

Trial trial_of(std::int64_t block, bool fast, double scale, const char* order, Verdict verdict) {
  Trial trial;
  trial.configuration = {{"BLOCK", block}, {"FAST", fast}, {"SCALE", scale}, {"ORDER", order}};
  trial.verdict = verdict;
  trial.compile_ms = 250;
  trial.made_ms = 1760000000123;
  if (verdict != Verdict::ok) return trial;
  trial.usage.registers = 40;
  trial.batch = 4;
  trial.measurement = {{1e6, 3e6, 2e6}, 1e6, 1.5e6, 2e6, 2.5e6};
  return trial;
}

SessionLog session() {
  SessionLog log;
  log.key = {
      "smooth", "cc", "dd", "cuda|NVIDIA H200|cc90|sm132|mem139G|bus6144|l2-50M|mig-", {{"n", 1024}, {"T", "float"}}};
  log.effort = "measure";
  log.strategy = "auto";
  log.started_ms = 1760000000000;
  log.trials = {
      trial_of(64, true, 1.0, "rows", Verdict::ok), trial_of(32, false, 0.5, "columns", Verdict::compile_timeout),
      trial_of(32, true, 0.5, "rows", Verdict::resources), trial_of(64, false, 1e-7, "rows", Verdict::wrong_result)};
  return log;
}

std::vector<json> lines_of(const std::string& text) {
  std::vector<json> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(json::parse(line));
  return lines;
}

std::vector<json> trials_in(const std::string& journal) {
  std::vector<json> trials = lines_of(journal);
  std::erase_if(trials, [](const json& line) { return line.at("op_code") != 4; });
  return trials;
}

TEST(KernelTunerCache, IsReadBackAsARecording) {
  const Recording recording = read_recordings(kernel_tuner_cache(session()), "smooth.json").at(0);
  EXPECT_EQ(recording.kernel, "smooth");
  EXPECT_EQ(recording.device, "NVIDIA H200");
  EXPECT_EQ(recording.problem, "1024");
  ASSERT_THAT(recording.parameters, SizeIs(4));
  EXPECT_EQ(recording.parameters[0], (Parameter{"BLOCK", {32, 64}}));
  EXPECT_EQ(recording.parameters[1], (Parameter{"FAST", {false, true}}));
  EXPECT_EQ(recording.parameters[2], (Parameter{"SCALE", {1e-7, 0.5, 1.0}}));
  EXPECT_EQ(recording.parameters[3], (Parameter{"ORDER", {"columns", "rows"}}));
  std::vector<Verdict> verdicts;
  for (const RecordedTrial& trial : recording.trials) verdicts.push_back(trial.verdict);
  EXPECT_THAT(verdicts, ElementsAre(Verdict::ok, Verdict::compile_error, Verdict::restricted, Verdict::launch_error));
  const RecordedTrial& right = recording.trials.front();
  EXPECT_EQ(right.row, (Row{1, 1, 2, 1}));
  EXPECT_DOUBLE_EQ(right.median_ns, 2e6);
  EXPECT_THAT(right.samples_ns, ElementsAre(1e6, 3e6, 2e6));
  EXPECT_DOUBLE_EQ(right.compile_s, 0.25);
}

// Kernel Tuner looks a configuration up by its key.
TEST(KernelTunerCache, KeysAreAsPythonWritesValues) {
  const json cache = json::parse(kernel_tuner_cache(session())).at("cache");
  std::vector<std::string> keys;
  for (const auto& [key, row] : cache.items()) keys.push_back(key);
  EXPECT_THAT(keys, testing::UnorderedElementsAre("64,True,1.0,rows", "32,False,0.5,columns", "32,True,0.5,rows",
                                                  "64,False,1e-07,rows"));
  EXPECT_EQ(cache.at("64,True,1.0,rows").at("benchmark_time"), 24.0) << "four launches in each sample";
  EXPECT_EQ(cache.at("64,True,1.0,rows").at("timestamp"), "2025-10-09 08:53:20.123000+00:00");
}

// Other ends are those of a run that was cut off: a comma, or the beginning of a row.
TEST(KernelTunerCache, EndsAsAClosedFileDoes) { EXPECT_TRUE(kernel_tuner_cache(session()).ends_with("}\n}")); }

TEST(OptunaJournal, MakesOneStudyThatMinimisesTheTime) {
  const std::vector<json> lines = lines_of(optuna_journal(session()));
  EXPECT_EQ(lines[0].at("op_code"), 0);
  EXPECT_EQ(lines[0].at("study_name"), "smooth n=1024 T=float on NVIDIA H200, cold");
  EXPECT_EQ(lines[0].at("directions"), json::array({1}));
  for (const json& line : lines) {
    EXPECT_TRUE(line.contains("worker_id")) << line;
    if (line.at("op_code") == 2) {
      EXPECT_EQ(line.at("user_attr").size(), 1u) << "the reader takes one in a line: " << line;
    }
  }
}

TEST(OptunaJournal, TrialsChooseFromTheValuesTried) {
  const std::vector<json> trials = trials_in(optuna_journal(session()));
  ASSERT_THAT(trials, SizeIs(4));
  const std::map<std::string, json> choices{
      {"BLOCK", {32, 64}}, {"FAST", {false, true}}, {"SCALE", {1e-7, 0.5, 1.0}}, {"ORDER", {"columns", "rows"}}};
  for (const json& trial : trials) {
    for (const auto& [name, values] : choices) {
      const json distribution = json::parse(trial.at("distributions").at(name).get<std::string>());
      EXPECT_EQ(distribution.at("name"), "CategoricalDistribution");
      EXPECT_EQ(distribution.at("attributes").at("choices"), values);
    }
  }
  EXPECT_EQ(trials[0].at("params"), (json{{"BLOCK", 1}, {"FAST", 1}, {"SCALE", 2}, {"ORDER", 1}}));
  EXPECT_EQ(trials[3].at("params"), (json{{"BLOCK", 1}, {"FAST", 0}, {"SCALE", 0}, {"ORDER", 1}}));
}

TEST(OptunaJournal, TrialsHaveVerdictsAndTimes) {
  SessionLog log = session();
  log.trials[1].made_ms = 0;
  const std::vector<json> trials = trials_in(optuna_journal(log));
  EXPECT_EQ(trials[0].at("state"), 1);
  EXPECT_EQ(trials[0].at("value"), 2e6);
  EXPECT_EQ(trials[0].at("datetime_complete"), "2025-10-09T08:53:20.123000+00:00");
  EXPECT_EQ(trials[0].at("datetime_start"), "2025-10-09T08:53:19.873000+00:00") << "when the image began";
  EXPECT_EQ(trials[0].at("user_attrs").at("registers"), 40);
  EXPECT_EQ(trials[1].at("state"), 3);
  EXPECT_TRUE(trials[1].at("value").is_null());
  EXPECT_EQ(trials[1].at("user_attrs").at("verdict"), "compile_timeout");
  EXPECT_EQ(trials[1].at("datetime_complete"), "2025-10-09T08:53:20.000000+00:00") << "of the session";
}

TEST(T4Results, AreReadBackAsARecording) {
  const Recording recording = read_recordings(t4_results(session()), "smooth.json").at(0);
  EXPECT_EQ(recording.tool, "T4 results");
  ASSERT_THAT(recording.parameters, SizeIs(4));
  EXPECT_EQ(recording.parameters[2], (Parameter{"SCALE", {1e-7, 0.5, 1.0}}));
  std::vector<Verdict> verdicts;
  for (const RecordedTrial& trial : recording.trials) verdicts.push_back(trial.verdict);
  EXPECT_THAT(verdicts, ElementsAre(Verdict::ok, Verdict::compile_error, Verdict::restricted, Verdict::wrong_result));
  const RecordedTrial& right = recording.trials.front();
  EXPECT_DOUBLE_EQ(right.median_ns, 2e6);
  EXPECT_THAT(right.samples_ns, ElementsAre(1e6, 3e6, 2e6));
  EXPECT_DOUBLE_EQ(right.compile_s, 0.25);
  const json document = json::parse(t4_results(session()));
  EXPECT_EQ(document.at("results").at(3).at("correctness"), 0);
  EXPECT_EQ(document.at("metadata").at("device"), "NVIDIA H200");
}

TEST(OtherTuners, GetNoDetailsAndEqualBytesForEqualSessions) {
  SessionLog log = session();
  log.trials[1].detail = "/home/someone/smooth.cu(3): error";
  log.trials[0].configuration.set("ORDER", "ro\xffws");
  EXPECT_EQ(optuna_journal(log), optuna_journal(log));
  EXPECT_EQ(kernel_tuner_cache(log), kernel_tuner_cache(log));
  EXPECT_EQ(t4_results(log), t4_results(log));
  for (const std::string& text : {optuna_journal(log), kernel_tuner_cache(log), t4_results(log)}) {
    EXPECT_THAT(text, testing::Not(HasSubstr("someone")));
    EXPECT_THAT(text, HasSubstr("\\ufffdws")) << "bytes that are not UTF-8";
  }
}

}  // namespace
}  // namespace attune::test
