// attune-score as a user runs it: what it prints, and what it says of input that cannot work.
#include <sys/stat.h>

#include "cli/workbench.hpp"

namespace attune::test {
namespace {

using json = Json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class ScoreProgram : public Workbench {
 protected:
  CommandResult score(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), ATTUNE_BUILD_DIR "/bin/attune-score");
    return run_command(arguments);
  }
  json score_json(std::vector<std::string> arguments) const {
    arguments.push_back("--json");
    const CommandResult result = score(arguments);
    EXPECT_EQ(result.code, 0) << result.err;
    return json::parse(result.out);
  }
  // A Kernel Tuner cache of one parameter; times in ms, 0 for a failure; each row costs 1 s.
  std::string cache(const std::string& name, const std::vector<double>& times, const std::string& kernel = "k") const {
    json root = {{"device_name", name}, {"kernel_name", kernel}, {"tune_params_keys", {"X"}}, {"objective", "time"}};
    root["cache"] = json::object();
    for (std::size_t i = 0; i < times.size(); ++i) {
      root["tune_params"]["X"].push_back(i);
      json& row = root["cache"][std::to_string(i)];
      row = {{"X", i},
             {"compile_time", 1000.0},
             {"framework_time", 0.0},
             {"strategy_time", 0.0},
             {"verification_time", 0.0},
             {"benchmark_time", 0.0},
             {"times", {0.0}}};
      row["time"] = times[i] > 0 ? json(times[i]) : json("CompilationFailedConfig");
    }
    return write(name + ".json", root.dump());
  }
  static json first_of(const json& report, int file = 0) { return report["files"][file]["strategies"][0]; }
  static std::vector<double> hundred() {
    std::vector<double> times(100);
    for (std::size_t i = 0; i < 100; ++i) times[i] = i % 10 == 3 ? 0 : 1.0 + static_cast<double>(i * 61 % 97);
    return times;
  }
};

TEST_F(ScoreProgram, PrintsATableForEachFileAndInTotal) {
  const std::string file = cache("A", hundred());
  const CommandResult result = score({"--strategy", "random", "--strategy", "exhaustive", "--repeats", "5", file});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("A: 100 configurations, 90 valid"), HasSubstr("random, exact"),
                                HasSubstr("exhaustive"), HasSubstr("total: mean over 1 file")));
}

TEST_F(ScoreProgram, FindsTheOptimumOnceAllIsSeenWithinABudget) {
  const std::string file = cache("A", hundred());
  const json all = score_json({"--strategy", "random", "--threads", "1", file});
  EXPECT_EQ(first_of(all)["fractions"]["400"], 1.0);
  EXPECT_EQ(first_of(all)["evaluations"], 100.0);
  EXPECT_EQ(all["files"][0]["random"]["100"], 1.0);
  EXPECT_EQ(all["total"]["strategies"][0], first_of(all));
  EXPECT_EQ(score_json({"--strategy", "random", "--threads", "7", file}), all) << "whatever the threads";
  EXPECT_NE(score_json({"--strategy", "random", "--seed", "2", file})["files"], all["files"]);
  const json few = score_json({"--strategy", "random", "--budget-evaluations", "30", file});
  EXPECT_EQ(first_of(few)["evaluations"], 30.0);
  EXPECT_TRUE(first_of(few)["fractions"]["25"].is_number());
  EXPECT_TRUE(first_of(few)["fractions"]["50"].is_null());
}

TEST_F(ScoreProgram, CountsEqualMeasurementsOnce) {
  const json report = score_json({"--strategy", "random", cache("A", hundred()), cache("copy", hundred())});
  ASSERT_EQ(report["files"].size(), 1u);
  EXPECT_EQ(report["files"][0]["same_measurements"], json({"copy"}));
  std::vector<double> other = hundred();
  other[0] += 1e-3;
  EXPECT_EQ(score_json({"--strategy", "random", cache("A", hundred()), cache("B", other)})["files"].size(), 2u);
}

TEST_F(ScoreProgram, GroupsFilesByKernelForAWarmStartToo) {
  std::vector<double> slower = hundred();
  for (double& time : slower) time *= 2;
  const std::string a = cache("A", hundred()), b = cache("B", slower), c = cache("C", {3, 1, 2, 5, 9, 8}, "other");
  const json warm = score_json({"--strategy", "random", "--warm", a, b, c});
  for (const int file : {0, 1}) EXPECT_EQ(first_of(warm, file)["fractions"]["5"], 1.0) << file;
  const json cold = score_json({"--strategy", "random", "--group", "kernel", a, b, c});
  EXPECT_LT(first_of(cold)["fractions"]["5"], 0.9);
  EXPECT_EQ(first_of(cold, 2), first_of(warm, 2)) << "nothing is known of that kernel";
  ASSERT_EQ(cold["kernels"].size(), 2u);
  EXPECT_EQ(cold["kernels"][0]["files"], json({"A", "B"}));
  const auto fraction = [](const json& row) { return row["strategies"][0]["fractions"]["25"].get<double>(); };
  EXPECT_DOUBLE_EQ(fraction(cold["kernels"][0]), (fraction(cold["files"][0]) + fraction(cold["files"][1])) / 2);
}

TEST_F(ScoreProgram, ScoresTracesOfOtherPrograms) {
  const std::string file = cache("A", {4, 0, 2, 1, 8, 9, 7, 6, 5, 3});
  const std::string traces = write("traces.jsonl", R"({"file": "A", "strategy": "peer", "repeat": 0, "rows": [1, 0]}
{"file": "A", "strategy": "peer", "repeat": 1, "rows": [2, 2, 1]}
{"file": "elsewhere", "strategy": "peer", "repeat": 0, "rows": [2]}
)");
  const json report = score_json({"--traces", traces, file});
  const json& peer = report["files"][0]["strategies"][0];
  EXPECT_EQ(peer["strategy"], "peer");
  EXPECT_DOUBLE_EQ(peer["fractions"]["25"], (1.0 / 4 + 1.0 / 2) / 2);
  EXPECT_EQ(peer["evaluations"], 2.0) << "a second visit is free";
}

// The copy's rows stand in another order: positions in it are positions in it.
TEST_F(ScoreProgram, TracesOfACopyCountForTheFileThatIsKept) {
  const std::string file = cache("A", {4, 0, 2, 1, 8, 9, 7, 6, 5, 3});
  json copy = json::parse(content_of(file));
  json turned = json::object();
  for (int i = 9; i >= 0; --i) turned[std::to_string(100 + 9 - i)] = copy["cache"][std::to_string(i)];
  copy["cache"] = turned;
  const std::string other = write("B.json", copy.dump());
  const std::string traces = write("traces.jsonl", R"({"file": "B", "strategy": "peer", "repeat": 0, "rows": [0, 1]})"
                                                   "\r\n\r\n"
                                                   R"({"file": "A", "strategy": "peer", "repeat": 1, "rows": [9, 8]})"
                                                   "\r\n");
  const json report = score_json({"--traces", traces, file, other});
  ASSERT_EQ(report["files"].size(), 1u);
  EXPECT_EQ(report["files"][0]["same_measurements"], json({"B"}));
  EXPECT_DOUBLE_EQ(report["files"][0]["strategies"][0]["fractions"]["25"], 1.0 / 3) << "both are the rows of 3 and 5";
}

TEST_F(ScoreProgram, NamesThatAreNoTextDoNotSpoilTheReport) {
  const std::string file = cache("A", {4, 0, 2, 1, 8, 9, 7, 6, 5, 3});
  const std::string traces = write("traces.jsonl", R"({"file": "A", "strategy": "a\u001b[2J\nb)" +
                                                       std::string(500, 'x') + R"(", "repeat": 0, "rows": [0, 1]})");
  const CommandResult result = score({"--traces", traces, file});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("a?[2J?bxxx"), HasSubstr("xxx..."), Not(HasSubstr("\x1b")),
                                Not(HasSubstr(std::string(200, 'x')))));
  const std::string odd = write("A\xff.json", content_of(file));
  EXPECT_EQ(score_json({"--strategy", "random", "--repeats", "2", odd})["files"][0]["file"], "A\xef\xbf\xbd");
}

// Only strategies that learn see more of the other file than its best, which B does not have.
TEST_F(ScoreProgram, AWarmStartHandsOverAllTrialsWhereTheBestIsNotLegal) {
  const std::string a = cache("A", hundred());
  json fewer = json::parse(content_of(a));
  std::string best;
  for (const auto& [key, row] : fewer["cache"].items()) {
    if (row["time"] == 1.0) best = key;
  }
  ASSERT_NE(best, "");
  fewer["cache"].erase(best);
  fewer["device_name"] = "B";
  const std::string b = write("B.json", fewer.dump());
  const json cold = score_json({"--strategy", "auto", "--repeats", "10", a, b});
  const json warm = score_json({"--strategy", "auto", "--repeats", "10", "--warm", a, b});
  const auto at_5 = [](const json& report) {
    return report["files"][1]["strategies"][0]["fractions"]["5"].get<double>();
  };
  EXPECT_LT(at_5(cold), 0.95);
  EXPECT_GT(at_5(warm), 0.99);
}

TEST_F(ScoreProgram, SaysHowLongWhereAllIsQuick) {
  json root = json::parse(content_of(cache("A", hundred())));
  for (auto& [key, row] : root["cache"].items()) row["compile_time"] = 0.002;
  const CommandResult result = score({"--strategy", "random", "--repeats", "2", write("quick.json", root.dump())});
  EXPECT_THAT(result.out, AllOf(HasSubstr("evaluations, 2e-06 to"), Not(HasSubstr("0 to 0 s")))) << result.err;
}

#ifndef __SANITIZE_ADDRESS__  // its shadow memory is beyond any limit
TEST_F(ScoreProgram, SaysThatMemoryDoesNotSuffice) {
  const std::string file = write("large.json", "{\"cache\": {}}" + std::string(std::size_t{64} << 20, ' '));
  const CommandResult result = run_command(
      {"/bin/sh", "-c",
       "ulimit -v 100000; exec " ATTUNE_BUILD_DIR "/bin/attune-score --threads 1 --strategy random \"$0\"", file});
  EXPECT_EQ(result.code, 1) << result.out;
  EXPECT_THAT(result.err, AllOf(HasSubstr("large.json"), HasSubstr("not enough memory"), Not(HasSubstr("bad_alloc"))));
}
#endif

TEST_F(ScoreProgram, AFileOfOneRowHasFractionsButNoScore) {
  const std::string file = cache("one", {5});
  const json report = score_json({"--strategy", "random", file});
  EXPECT_TRUE(report["files"][0]["strategies"][0]["score"].is_null());
  EXPECT_EQ(report["files"][0]["strategies"][0]["fractions"]["25"], 1.0);
  EXPECT_THAT(score({"--strategy", "random", file}).out, HasSubstr("no score: all are equally good"));
}

struct Refusal {
  const char* what;
  std::vector<std::string> arguments;
  std::vector<std::string> words;  // that standard error must hold
};

TEST_F(ScoreProgram, NamesWhatCannotWork) {
  const std::string file = cache("A", hundred()), failed = cache("failed", {0, 0});
  const std::string broken = write("broken.jsonl", "{\"file\": \"A\"}\n");
  const std::string beyond = write("beyond.jsonl", R"({"file": "A", "strategy": "p", "repeat": 0, "rows": [100]})");
  const std::string foreign = write("foreign.jsonl", R"({"file": "B", "strategy": "p", "repeat": 0, "rows": [1]})");
  std::filesystem::create_directory(folder_ / "other");
  const std::string named_alike = write("other/A.json", content_of(cache("C", {1, 2, 3})));
  const std::string traces = write("traces.jsonl", R"({"file": "A", "strategy": "p", "repeat": 0, "rows": [1]})");
  const std::string empty = write("empty.json", "\n"), pipe = (folder_ / "pipe").string();
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const auto rows = [&](const std::string& name, const std::string& list) {
    return write(name,
                 "\n"
                 R"({"file": "A", "strategy": "p", "repeat": 0, "rows": )" +
                     list + "}");
  };
  const std::vector<Refusal> refusals = {
      {"a part of a row", {"--traces", rows("part", "[1.7]"), file}, {"part:2: rows[0] is 1.7: expected", "0 to 99"}},
      {"row below 0",
       {"--traces", rows("below", "[3, -1]"), file},
       {"below:2: rows[1] is -1: expected a whole number"}},
      {"large row", {"--traces", rows("large", "[18446744073709551617]"), file}, {"large:2: rows[0] is 1.8"}},
      {"huge row", {"--traces", rows("huge", "[1e400]"), file}, {"huge:2:", "too large"}},
      {"text as row", {"--traces", rows("text", R"(["1"])"), file}, {"text:2: rows[0] is \"1\""}},
      {"rows no list", {"--traces", rows("list", "5"), file}, {"list:2: `rows` is 5"}},
      {"deep traces", {"--traces", rows("deep", std::string(100'000, '[')), file}, {"deep:2:", "nested"}},
      {"cut traces", {"--traces", rows("cut", "[1"), file}, {"cut:2:", "expected {\"file\""}},
      {"files named alike", {"--traces", traces, file, named_alike}, {"two files are called A; rename one"}},
      {"a pipe", {"--strategy", "random", pipe}, {pipe, "no regular file"}},
      {"traces in a pipe", {"--traces", pipe, file}, {pipe, "no regular file"}},
      {"one row to trace", {"--reference-trace", cache("one", {5})}, {}},
      {"traces in a folder", {"--traces", folder_.string(), file}, {"no regular file"}},
      {"empty name", {"--strategy", "random", ""}, {"name of a file is empty"}},
      {"empty file", {"--strategy", "random", empty}, {"empty.json: it is empty"}},
      {"empty strategy", {"--strategy", "", file}, {"strategy"}},
      {"option twice", {"--strategy", "local:kick=3,kick=4", file}, {"local", "`kick` is given twice"}},
      {"nothing", {}, {"usage", "--help"}},
      {"no file", {"--strategy", "random"}, {"usage"}},
      {"no strategy", {file}, {"usage"}},
      {"missing file", {"--strategy", "random", "/nowhere/x.json"}, {"/nowhere/x.json"}},
      {"no recording", {"--strategy", "random", broken}, {"broken.jsonl"}},
      {"unknown strategy", {"--strategy", "randon", file}, {"randon", "random"}},
      {"unknown option of it", {"--strategy", "random:x=1", file}, {"random", "x"}},
      {"unknown option", {"--repeat", "3", "--strategy", "random", file}, {"--repeat", "--repeats"}},
      {"no repeats", {"--repeats", "0", "--strategy", "random", file}, {"--repeats", "0"}},
      {"bad seed", {"--seed", "-1", "--strategy", "random", file}, {"--seed"}},
      {"bad group", {"--group", "device", "--strategy", "random", file}, {"kernel", "device"}},
      {"no valid row", {"--strategy", "random", failed}, {"failed.json", "every recorded configuration failed"}},
      {"missing traces", {"--traces", "/nowhere/t.jsonl", file}, {"/nowhere/t.jsonl"}},
      {"broken traces", {"--traces", broken, file}, {"broken.jsonl:1:", "rows"}},
      {"no such row", {"--traces", beyond, file}, {"beyond.jsonl:1:", "100", "0 to 99"}},
      {"traces of others", {"--traces", foreign, file}, {"foreign.jsonl"}},
      {"both", {"--reference-trace", "--strategy", "random", file}, {"usage"}},
  };
  for (const Refusal& refusal : refusals) {
    const CommandResult result = score(refusal.arguments);
    EXPECT_EQ(result.code, 2) << refusal.what << ": " << result.err;
    EXPECT_EQ(result.out, "") << refusal.what;
    EXPECT_THAT(result.err, Not(HasSubstr("json.exception"))) << refusal.what;
    for (const std::string& word : refusal.words) EXPECT_THAT(result.err, HasSubstr(word)) << refusal.what;
  }
}

}  // namespace
}  // namespace attune::test
