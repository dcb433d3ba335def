// --device replay:FILE, from the command line to the record.
#include <chrono>
#include <map>
#include <set>

#include "cli/workbench.hpp"

namespace attune::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::string bowl = std::string("replay:") + ATTUNE_TEST_DATA "/recordings/bowl.json";

class Replay : public Workbench {
 protected:
  // The trials of a session: all of its lines that name neither the moment nor the run.
  std::vector<Json> trials_on(const std::string& device, std::vector<std::string> more) const {
    more.insert(more.begin(), {"tune", "--device", device, "--seed", "2"});
    return of_type(events_of(more), "trial");
  }
};

TEST_F(Replay, TunesARecordingAndLeavesTheDatabaseAlone) {
  EXPECT_THAT(
      output_of({"tune", "--device", bowl, "--effort", "exhaustive"}),
      AllOf(HasSubstr("tuning bowl"), HasSubstr("on a recording of Test GPU 100"),
            HasSubstr("42 legal configurations of 48 combinations"),
            HasSubstr("  default: TILE=4 ROWS=1 ORDER=rows\n    gain       time  what differs from the default\n"),
            HasSubstr("   1.00x   2.300 ms  the default\n"),
            HasSubstr("\n           TILE=32 ROWS=4, else as the default\n"),
            HasSubstr("42 trials: 38 right, 2 launch_error, 2 compile_error; kept in no database")));
  EXPECT_FALSE(std::filesystem::exists(database()));
  EXPECT_EQ(output_of({"space", "--device", bowl, "--count"}), "42\n");
  EXPECT_EQ(events_of({"space", "bowl", "--device", bowl, "--list", "50"}).size(), 42u);
}

TEST_F(Replay, ShowsConfigurationsWholeOnRequest) {
  const std::string text = output_of({"tune", "--device", bowl, "--effort", "exhaustive", "--verbose"});
  EXPECT_THAT(text, AllOf(HasSubstr("    gain       time  configuration\n"),
                          HasSubstr("   1.00x   2.300 ms  TILE=4 ROWS=1 ORDER=rows\n"),
                          HasSubstr("\n           TILE=32 ROWS=4 ORDER=rows\n")));
}

TEST_F(Replay, SaysWhatBecameOfEveryTrial) {
  const Json verdicts = {{"ok", 38}, {"launch_error", 2}, {"compile_error", 2}};
  EXPECT_EQ(of_type(events_of({"tune", "--device", bowl, "--effort", "exhaustive"}), "best").at(0).at("verdicts"),
            verdicts);
  EXPECT_THAT(output_of({"tune", "--device", bowl, "--trials", "1"}),
              AllOf(HasSubstr("1 trial: 1 right; "), HasSubstr("ended by the limit of 1 trial\n")));
}

TEST_F(Replay, TheSameSeedsGiveTheSameTrialsThroughWorkersToo) {
  const std::vector<std::string> random = {"--strategy", "random", "--trials", "15"};
  const auto first = trials_on(bowl + ",noise,seed=5", random);
  EXPECT_EQ(first.size(), 15u);
  EXPECT_EQ(first, trials_on(bowl + ",noise,seed=5", random));
  const std::vector<std::string> exhaustive = {"--effort", "exhaustive"};
  EXPECT_EQ(trials_on(bowl, exhaustive), trials_on(bowl + ",workers", exhaustive));
}

TEST_F(Replay, IsPlayedOnSeveralBenchesWhoseTrialsHaveTheirBoard) {
  for (const char* const how : {",benches=3", ",benches=3,workers"}) {
    std::map<std::string, int> trials;
    const auto lines = events_of({"tune", "--device", bowl + how, "--effort", "exhaustive", "--strategy", "random"});
    for (const Json& trial : of_type(lines, "trial")) ++trials[trial.value("board", "")];
    ASSERT_EQ(trials.size(), 3u) << how;
    for (const auto& [board, count] : trials) EXPECT_GT(count, 5) << board;
    EXPECT_EQ(of_type(lines, "best").at(0).at("configuration").at("TILE"), 32);
  }
  expect_failure(2, {"tune", "--device", bowl + ",benches=0"}, {"a session has 1 to 64 benches"});
  expect_failure(2, {"tune", "--device", bowl + ",benches=x"}, {"after `benches=`, such as benches=1"});
}

// The recorded trials of a bowl take 0.1 s and more, of which a clock of its own shows nothing.
TEST_F(Replay, TakesItsTimeWhenItIsPaced) {
  const auto before = std::chrono::steady_clock::now();
  const Json best = of_type(events_of({"tune", "--device", bowl + ",paced", "--trials", "2"}), "best").at(0);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - before;
  EXPECT_GT(best.at("search_seconds"), 1);
  EXPECT_GE(took.count(), best.at("search_seconds").get<double>());
}

// Each of eight workers takes as long as recorded: a trial some 20 ms, in place of a second.
TEST_F(Replay, IsPacedOnEightWorkersWhichFindWhatOneFinds) {
  Json recording = Json::parse(content_of(ATTUNE_TEST_DATA "/recordings/bowl.json"));
  for (auto& [key, row] : recording.at("cache").items())
    for (const char* const time : {"compile_time", "verification_time", "strategy_time", "framework_time"})
      row[time] = row.value(time, 0.0) / 50;
  const std::string device = "replay:" + write("fast.json", recording.dump()) + ",paced,workers";
  const std::vector<std::string> command = {"tune", "--effort", "exhaustive", "--strategy", "random", "--device"};
  std::vector<Json> best;
  for (const char* const benches : {"", ",benches=8"}) {
    std::vector<std::string> words = command;
    words.push_back(device + benches);
    const std::vector<Json> lines = events_of(words);
    best.push_back(of_type(lines, "best").at(0).at("configuration"));
    std::map<std::string, std::string> boards;  // by configuration
    for (const Json& trial : of_type(lines, "trial"))
      boards[trial.at("configuration").dump()] = trial.value("board", "");
    EXPECT_EQ(boards.size(), 42u);
    std::set<std::string> used;
    for (const auto& [configuration, board] : boards) used.insert(board);
    EXPECT_EQ(used.size(), *benches == 0 ? 1u : 8u);
  }
  EXPECT_EQ(best[0], best[1]);
}

TEST_F(Replay, SaysHowManyTrialsWereKnownBefore) {
  const std::vector<std::string> command = {"tune",   "--device", bowl,   "--trials", "5",
                                            "--seed", "1",        "--db", database()};
  EXPECT_THAT(output_of(command), HasSubstr("\n5 trials: "));
  EXPECT_THAT(output_of(command), testing::ContainsRegex("\n(9|10) trials, 5 of them now: "));
}

TEST_F(Replay, AnExplicitDatabaseKeepsTheSession) {
  const std::vector<std::string> command = {"tune", "--device", bowl, "--effort", "exhaustive", "--db", database()};
  output_of(command);
  EXPECT_THAT(output_of(command),
              AllOf(HasSubstr("tuned already"), HasSubstr("\n           TILE=32 ROWS=4 ORDER=rows\n")))
      << "without a table of this run, the best is shown whole";
  // What that session logged is a recording in its turn.
  EXPECT_THAT(output_of({"tune", "--device", "replay:" + database(), "--effort", "exhaustive"}),
              HasSubstr("           TILE=32 ROWS=4, else as the default\n"));
}

TEST_F(Replay, AmongSeveralRecordingsOneIsChosen) {
  for (const char* const n : {"n=100", "n=200"}) output_of({"tune", scale(), "--problem", n});
  const std::string device = "replay:" + database();
  expect_failure(2, {"tune", "--device", device}, {"several", "n=100 T=float", "n=200 T=float"});
  output_of({"tune", "scale", "--problem", "n=200 T=float", "--device", device});
  expect_failure(2, {"tune", "other", "--device", device}, {});
}

}  // namespace
}  // namespace attune::test
