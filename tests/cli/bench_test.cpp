// attune bench: configurations, the record and a copy side by side.
#include <csignal>

#include "cli/workbench.hpp"

namespace attune::test {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class BenchCommand : public Workbench {
 protected:
  static std::vector<std::string> names_of(const std::vector<Json>& rows) {
    std::vector<std::string> names;
    for (const Json& row : rows) names.push_back(row.at("name"));
    return names;
  }
};

TEST_F(BenchCommand, PrintsATableWithIntervals) {
  const std::string text = output_of({"bench", scale(), "-c", "BLOCK=32 ITEMS=2", "-c", "BLOCK=128", "--rounds", "10"});
  EXPECT_THAT(text, AllOf(HasSubstr("scale n=5000 T=float on "), HasSubstr("note: no record of the regime cold"),
                          HasSubstr("attune tune "), HasSubstr("cold: 10 rounds; speed-ups within +-")));
  EXPECT_THAT(
      text,
      AllOf(ContainsRegex("\ncold +time .95 %. +speed-up .95 %. +rate\n"),
            ContainsRegex("\ndefault +[0-9.]+ [um]s .[0-9.]+, [0-9.]+. +1.000x .1.000, 1.000. +[0-9.]+ [GM]B/s\n"),
            HasSubstr("\n1  "), HasSubstr("\n2  "), HasSubstr("\ncopy  "),
            HasSubstr("  default: BLOCK=64 ITEMS=1\n  1: BLOCK=32 ITEMS=2\n  2: BLOCK=128\n")));
  EXPECT_THAT(text, Not(HasSubstr("\nrecord")));
  EXPECT_THAT(output_of({"bench", scale(), "-c", "BLOCK=128", "--rounds", "2", "-v"}),
              HasSubstr("  default: BLOCK=64 ITEMS=1\n  1: BLOCK=128 ITEMS=1\n"));
  expect_to_fit(text);
  EXPECT_FALSE(std::filesystem::exists(database()));
}

TEST_F(BenchCommand, JsonTellsEachRowOfEachRegimeWithItsRecord) {
  output_of({"tune", scale(), "--parameters", "BLOCK=128 ITEMS=1"});
  const std::string before = content_of(database());
  const auto events = events_of({"bench", scale(), "--regime", "all", "--rounds", "8"});
  EXPECT_EQ(content_of(database()), before) << "it writes nothing";
  EXPECT_EQ(of_type(events, "bench").at(0).at("kernel"), "scale");
  const auto rows = of_type(events, "row");
  EXPECT_EQ(names_of(rows),
            (std::vector<std::string>{"default", "record", "copy", "default", "copy", "default", "copy"}));
  EXPECT_EQ(of_type(events, "note").size(), 2u) << "no record of the regimes warm and stream";
  for (const Json& row : rows) {
    EXPECT_EQ(row.at("verdict"), "ok");
    EXPECT_EQ(row.at("rounds"), 8);
    for (const std::string name : {"median_ns", "speedup"}) {
      EXPECT_LE(row.at(name + "_low"), row.at(name));
      EXPECT_GE(row.at(name + "_high"), row.at(name));
      EXPECT_GT(row.at(name), 0);
    }
    EXPECT_GT(row.at("gigabytes_per_s"), 0);
    EXPECT_EQ(row.at("configuration").is_null(), row.at("name") == "copy");
  }
  EXPECT_EQ(rows[1].at("configuration").at("BLOCK"), 128);
  EXPECT_EQ(rows[0].at("regime"), "cold");
  EXPECT_EQ(rows[4].at("regime"), "warm");
  EXPECT_EQ(rows[6].at("regime"), "stream");
  EXPECT_GT(rows[6].at("batch"), 1);
}

TEST_F(BenchCommand, TimesTheStepsOfALaunch) {
  const std::vector<std::string> arguments = {"bench",     "reduce",
                                              "--problem", "n=4096",
                                              "-c",        "ALGORITHM=Algorithm::two_pass",
                                              "-c",        "ALGORITHM=Algorithm::atomic",
                                              "--rounds",  "30",
                                              "--steps",   "--regime",
                                              "warm"};
  const auto rows = of_type(events_of(arguments), "row");
  ASSERT_EQ(names_of(rows), (std::vector<std::string>{"default", "1", "2", "copy"}));
  EXPECT_EQ(rows[0].at("steps").size(), 1u);
  const Json& steps = rows[1].at("steps");
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_THAT(steps[0].at("step").get<std::string>(), HasSubstr("reduce<float, Op::sum, 6"));
  EXPECT_EQ(steps[1].at("step"), "reduce_words<float, Op::sum>");
  EXPECT_LT(steps[0].at("up_to_ns"), steps[1].at("up_to_ns"));
  EXPECT_GT(steps[1].at("share"), 0.05) << "1024 threads of an emulated block";
  EXPECT_NEAR(steps[0].at("share").get<double>() + steps[1].at("share").get<double>(), 1, 0.02);
  EXPECT_EQ(rows[2].at("steps").at(0).at("step"), "memset out");
  EXPECT_LT(rows[2].at("steps").at(0).at("share"), 0.5);
  EXPECT_FALSE(rows[3].contains("steps"));
  EXPECT_THAT(output_of(arguments),
              AllOf(ContainsRegex("\nwarm +up to it +its share .95 %.\n"),
                    ContainsRegex("\n2: memset out +[0-9.]+ [nu]s +[0-9.]+ % .[0-9.]+, [0-9.]+.\n"),
                    HasSubstr("\n1: reduce_words<float, Op::sum>  ")));
}

TEST_F(BenchCommand, AConfigurationThatFailsIsARowAndTheOthersGoOn) {
  struct Case {
    Replacements replacements;
    std::string verdict, detail;
  };
  const Case cases[] = {
      {{{"T(3)", "T(ITEMS == 2 ? 4 : 3)"}}, "wrong_result", "y"},
      {{{"for (int i = 0; i < ITEMS; ++i)", "static_assert(ITEMS == 1, \"one\");\n  for (int i = 0; i < ITEMS; ++i)"}},
       "compile_error",
       "one"},
      {{{"template <typename T, int ITEMS>", "extern \"C\" void _exit(int);\ntemplate <typename T, int ITEMS>"},
        {"for (int i = 0; i < ITEMS; ++i)",
         "if (ITEMS == 2 && first == 6) _exit(3);\n  for (int i = 0; i < ITEMS; ++i)"}},
       "fault",
       "exited with code 3"}};
  for (const Case& c : cases) {
    const CommandResult result =
        attune({"bench", scale_with(c.replacements), "-c", "ITEMS=2", "-c", "BLOCK=32", "--rounds", "8", "--json"});
    EXPECT_EQ(result.code, 3) << result.err;
    const auto rows = of_type(events_in(result.out), "row");
    ASSERT_EQ(names_of(rows), (std::vector<std::string>{"default", "1", "2", "copy"}));
    EXPECT_EQ(rows[1].at("verdict"), c.verdict);
    EXPECT_THAT(rows[1].at("detail").get<std::string>(), HasSubstr(c.detail));
    EXPECT_FALSE(rows[1].contains("median_ns"));
    for (const std::size_t other : {0, 2, 3}) EXPECT_GT(rows[other].at("median_ns"), 0);
  }
  const CommandResult text =
      attune({"bench", scale_with("T(3)", "T(ITEMS == 2 ? 4 : 3)"), "-c", "ITEMS=2", "--rounds", "8"});
  EXPECT_EQ(text.code, 3);
  EXPECT_THAT(text.out, AllOf(ContainsRegex("\n1 +wrong_result\n"), HasSubstr("1: wrong_result: ")));
}

TEST_F(BenchCommand, ComparesPeersOfALibrary) {
  const std::vector<std::string> arguments = {"bench", scale(),     "--peers",         ATTUNE_SCALE_PEERS, "--rounds",
                                              "8",     "--no-copy", "--configuration", "BLOCK=32"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), arguments.begin(), arguments.end());
    return attune(more);
  };
  const CommandResult result = with({"--over", "1", "--json"});
  EXPECT_EQ(result.code, 3) << "a wrong peer is a failure";
  const auto rows = of_type(events_in(result.out), "row");
  ASSERT_EQ(names_of(rows),
            (std::vector<std::string>{"default", "1", "right", "wrong", "failing", "finished", "badly finished"}));
  EXPECT_TRUE(rows[2].at("peer").get<bool>() && rows[2].at("configuration").is_null());
  EXPECT_EQ(rows[2].at("over"), "1");
  EXPECT_EQ(rows[1].at("speedup"), 1);
  EXPECT_GT(rows[2].at("gigabytes_per_s"), 0);
  EXPECT_EQ(rows[3].at("verdict"), "wrong_result");
  EXPECT_EQ(rows[4].at("detail"), "failing: out of order");
  const CommandResult declined = with({"--problem", "T=int32"});
  EXPECT_EQ(declined.code, 0) << declined.err;
  EXPECT_THAT(declined.out, AllOf(ContainsRegex("\nright +restricted\n"), HasSubstr("right: it has float alone")));
  EXPECT_THAT(with({"--over", "right"}).out, HasSubstr("speed-ups over right within"));
  const std::string rows_that_are = "default, right, wrong, failing, finished, badly finished, copy";
  expect_failure(2, {"bench", scale(), "--peers", ATTUNE_SCALE_PEERS, "--over", "rigth"},
                 {"--over rigth", "did you mean `right`", rows_that_are.c_str()});
  expect_failure(2, {"bench", scale(), "--peers", "nowhere.so"}, {"cannot load the peer library", "nowhere.so"});
  EXPECT_THAT(output_of({"bench", "axpy", "--problem", "n=500", "--rounds", "6", "--peers", ATTUNE_SCALE_PEERS}),
              HasSubstr("has no peer of axpy"));
}

TEST_F(BenchCommand, EndsByTimeOrInterrupt) {
  const std::vector<std::string> arguments = {"bench", scale(), "--time-limit", "2s", "--rounds", "1000000"};
  EXPECT_THAT(output_of(arguments), HasSubstr("\ncopy  "));
  std::vector<std::string> all = arguments;
  all.insert(all.end(), {"--regime", "all"});
  CommandOptions options;
  options.signal_when = [](const std::string& out) { return count_of(out, "cold: ") > 0 ? SIGINT : 0; };
  const CommandResult interrupted = attune(all, options);
  EXPECT_EQ(interrupted.code, 130) << interrupted.err;
  EXPECT_THAT(interrupted.err, HasSubstr("attune: interrupted")) << "no signal ended it";
  EXPECT_THAT(interrupted.out, AllOf(HasSubstr("\ncopy  "), Not(HasSubstr("stream: "))));
}

// What hangs has its deadline, which is a minute: one signal ends it before.
TEST_F(BenchCommand, OneSignalEndsWhatHangs) {
  const std::string hangs =
      scale_with("  const long long first", "  if (ITEMS == 2) for (;;) __syncthreads();\n  const long long first");
  CommandOptions options;
  options.signal_when = [](const std::string& out) { return count_of(out, "no record") > 0 ? SIGINT : 0; };
  const auto begin = std::chrono::steady_clock::now();
  const CommandResult ended = attune({"bench", hangs, "-c", "ITEMS=2"}, options);
  EXPECT_EQ(ended.code, 130) << ended.err;
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(40));
}

TEST_F(BenchCommand, WhatCannotBeComparedIsSaid) {
  expect_failure(2, {"bench", scale(), "-c", "BLOCK=128 ITEMS=2"}, {"BLOCK=128 ITEMS=2", "BLOCK * ITEMS <= 128"});
  expect_failure(2, {"bench", scale(), "-c", "BLOK=128"}, {"BLOK"});
  expect_failure(2, {"bench", scale(), "--regime", "hot"}, {"unknown regime `hot`", "`all`"});
  expect_failure(2, {"bench", scale(), "--regime", "stream", "--steps"}, {"--steps", "--regime cold or warm"});
  expect_failure(2, {"bench", "axpy", "--regime", "stream"}, {"axpy has no stream of launches"});
  expect_failure(2, {"bench", scale(), "--device", "replay:x.json"}, {"nothing runs on `replay:x.json`"});
  expect_failure(2, {"bench", scale(), "--device", "sm_90"}, {"nothing runs on `sm_90`"});
  expect_failure(2, {"bench", scale(), "--rounds", "0"}, {"--rounds"});
  const auto events = events_of({"bench", "axpy", "--problem", "n=500", "--regime", "all", "--rounds", "6", "--steps"});
  EXPECT_EQ(names_of(of_type(events, "row")), (std::vector<std::string>{"default", "copy", "default", "copy"}));
  EXPECT_THAT(of_type(events, "note").at(0).at("text").get<std::string>(), HasSubstr("axpy has no stream"));
}

}  // namespace
}  // namespace attune::test
