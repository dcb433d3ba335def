// SIGKILL to the coordinator at random moments: nothing that was committed is lost, changed or tried again.
#include <SQLiteCpp/Database.h>
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <optional>
#include <random>
#include <set>

#include "base/child_process.hpp"
#include "base/descriptor.hpp"
#include "faults/fault_bench.hpp"

namespace attune::test {
namespace {

using testing::AllOf;
using testing::Ge;
using testing::Le;
using testing::SizeIs;

constexpr int kills = 200;
constexpr int rows = 50;
constexpr int columns = 40;
constexpr std::size_t most_attempts = 24;  // four were sent, the others wait
#if defined(__SANITIZE_ADDRESS__)
constexpr double most_seconds = 1;  // a process starts more slowly
#else
constexpr double most_seconds = 0.3;
#endif

class Kill : public FaultBench {
 protected:
  void SetUp() override {
    FaultBench::SetUp();
    arguments_ = {ATTUNE_BUILD_DIR "/bin/attune_with_faults",
                  "tune",
                  "--device",
                  "replay:" + recording(rows, columns) + ",workers",
                  "--effort",
                  "exhaustive",
                  "--seed",
                  "1",
                  "--db",
                  database()};
  }

  // Starts the command and kills it after so long; true when it was still there.
  bool kill_after(std::chrono::microseconds time) const {
    const Descriptor nowhere(open("/dev/null", O_WRONLY));
    ChildProcess command({.arguments = arguments_,
                          .environment = {{"ATTUNE_FAULTS", script()}},
                          .output = nowhere.get(),
                          .errors = nowhere.get()});
    usleep(static_cast<useconds_t>(time.count()));
    return command.kill(20) && command.signal() == SIGKILL;
  }

  std::vector<std::string> arguments_;
};

TEST_F(Kill, AtAnyMomentLosesNothingThatWasShown) {
  // On no machine may all lives together end the search: what is confirmed after it is rightly launched again.
  faults("* launch * sleep " + std::to_string(static_cast<int>(50 * most_seconds)) + "\n");
  const std::vector<std::string> command(arguments_.begin() + 2, arguments_.end());
  const auto with_limit = [&](const char* trials) {
    std::vector<std::string> list = command;
    list.insert(list.end(), {"--trials", trials});
    return list;
  };
  const TuneRun first = tune(with_limit("1"));
  ASSERT_EQ(first.command.code, 0) << first.command.err;
  // From before main() to some trials later.
  const auto longest = static_cast<int>(std::min(1.5 * first.seconds, most_seconds) * 1e6);
  std::mt19937 random(7);
  std::map<std::string, Trial> before = trials();
  int in_flight = 0;
  for (int i = 0; i < kills; ++i) {
    ASSERT_TRUE(kill_after(std::chrono::microseconds(std::uniform_int_distribution(0, longest)(random))));
    const std::map<std::string, Trial> now = trials();
    for (const auto& [text, trial] : before) {
      ASSERT_TRUE(now.contains(text)) << "the trial of " << text << " is lost";
      const Trial& kept = now.at(text);
      ASSERT_EQ(kept.verdict, trial.verdict) << text;
      ASSERT_EQ(kept.attempts, trial.attempts) << text << " was tried again";
      ASSERT_EQ(kept.measurement.samples_ns, trial.measurement.samples_ns) << text << " was measured again";
    }
    ASSERT_LE(attempts().size(), most_attempts);
    in_flight += static_cast<int>(attempts().size());
    before = now;
  }
  const std::map<std::string, Trial> found = trials();
  EXPECT_GE(found.size(), 20u);
  ASSERT_LT(found.size(), std::size_t{rows * columns}) << "the search has ended";
  EXPECT_GE(in_flight, 5);
  for (const auto& [text, trial] : found) {
    if (text == "A=0 B=0") continue;  // the anchor of each life
    const std::string launched = " " + text;
    int times = 0;
    for (int attempt = 1; attempt <= 5; ++attempt) times += log().count("launch " + std::to_string(attempt) + launched);
    // Three lives may end within the same configuration while it is tried alone, which is left alone then.
    const bool left_alone = trial.verdict == Verdict::quarantined;
    EXPECT_LE(times, left_alone ? 4 : trial.attempts) << text;
    EXPECT_TRUE(trial.verdict == Verdict::ok || left_alone) << text;
  }
  const TuneRun last = tune(with_limit("5"));
  EXPECT_EQ(last.command.code, 0) << last.command.err;
  EXPECT_EQ(last.best.at("trials"), found.size() + 5);
  EXPECT_THAT(attempts(), SizeIs(0));
}

// The default is launched for the anchor each time that a session goes on: that makes it no suspect.
TEST_F(Kill, ASessionMayGoOnAsOftenAsOneLikes) {
  for (int i = 0; i < 6; ++i) {
    const TuneRun run = tune_recording({"--trials", "2"});
    ASSERT_EQ(run.command.code, 0) << run.command.err;
    EXPECT_EQ(trials().at("A=0 B=0").verdict, Verdict::ok) << trials().at("A=0 B=0").detail;
    EXPECT_THAT(attempts(), SizeIs(0));
  }
}

// Their images are compiled before the first of them is launched, which hangs.
TEST_F(Kill, TrialsWhoseImagesAreThereBeginInOneTransaction) {
  faults("BLOCK=1024 launch * hang\nBLOCK=128 launch * hang\nBLOCK=512 launch * hang\n");
  CommandOptions options;
  options.environment["ATTUNE_LAUNCH_LIMIT"] = "60";
  options.signal_when = [&](const std::string& out) {
    return out.find("\"type\":\"trial\"") != std::string::npos && attempts().size() == 3 ? SIGKILL : 0;
  };
  const TuneRun run =
      tune({"axpy", "--device", "host", "--problem", "n=65536 T=float", "--parameters",
            "BLOCK=256,128,512,1024 VECTOR=1 ITEMS=1 CACHE=Cache::plain BLOCKS_PER_SM=0", "--db", database()},
           options);
  EXPECT_EQ(run.command.code, 128 + SIGKILL);
  ASSERT_THAT(attempts(), SizeIs(3));
  for (const Attempt& attempt : attempts()) EXPECT_EQ(attempt.begun, 1);
}

// Trials go on while another process has the database, as far as attempts are durable. What is shown is durable, and
// what is launched has its attempt or its verdict.
TEST_F(Kill, WhileCommitsWaitLosesNothingThatWasShownOrLaunched) {
  for (const std::size_t shown : {1, 2, 9, 25, 40}) {
    std::optional<SQLite::Database> other;
    CommandOptions options;
    options.signal_when = [&](const std::string& out) {
      if (count_of(out, "\"type\":\"trial\"") < shown) return 0;
      other.emplace(database(), SQLite::OPEN_READWRITE, 5000);
      other->exec("BEGIN IMMEDIATE");
      usleep(300'000);  // all that may be launched is launched
      return SIGKILL;
    };
    const TuneRun run = tune({"--device", "replay:" + recording(rows, columns) + ",workers", "--effort", "exhaustive",
                              "--seed", "1", "--fresh", "--db", database()},
                             options);
    other.reset();
    ASSERT_EQ(run.command.code, 128 + SIGKILL);
    const std::map<std::string, Trial> found = trials();
    EXPECT_GE(found.size(), shown);
    for (const nlohmann::json& trial : run.trials) {
      const nlohmann::json& one = trial.at("configuration");
      EXPECT_TRUE(found.contains("A=" + one.at("A").dump() + " B=" + one.at("B").dump())) << trial << " was shown";
    }
    std::set<std::string> known;
    for (const auto& [text, trial] : found) known.insert(text);
    for (const Attempt& attempt : attempts()) known.insert(attempt.configuration.text());
    ASSERT_LE(attempts().size(), most_attempts);
    const std::string launch = "launch 1 ";
    std::size_t launches = 0;
    for (const std::string& line : log().lines()) {
      const std::size_t at = line.find(launch);
      if (at == std::string::npos) continue;
      ++launches;
      EXPECT_TRUE(known.contains(line.substr(at + launch.size()))) << line;
    }
    EXPECT_GE(launches, shown);
    std::filesystem::remove(script() + ".log");
  }
}

// A configuration that is under way whenever the whole session is killed is left alone at last. In the first life
// another one waits behind it, which is no suspect for long; from then on it is tried alone.
TEST_F(Kill, AConfigurationThatTakesTheSessionAlongThreeTimesAloneIsLeftAlone) {
  faults("A=0&B=3 launch * hang\n");
  CommandOptions options;
  options.environment["ATTUNE_LAUNCH_LIMIT"] = "60";
  std::size_t shown = 2;
  options.signal_when = [&](const std::string& out) {
    if (count_of(out, "\"type\":\"trial\"") < shown) return 0;
    usleep(500'000);
    return SIGKILL;
  };
  for (int life = 1; life <= 4; ++life) {
    EXPECT_EQ(tune_recording({}, options).command.code, 128 + SIGKILL);
    ASSERT_THAT(attempts(), SizeIs(AllOf(Ge(2), Le(most_attempts))));
    EXPECT_EQ(attempts().at(0).configuration.text(), "A=0 B=3");
    EXPECT_EQ(attempts().at(0).begun, life);
    EXPECT_EQ(attempts().at(0).alone, life - 1);
    EXPECT_EQ(attempts().at(1).configuration.text(), "A=0 B=4");
    EXPECT_EQ(attempts().at(1).begun, 1);
    shown = 0;
    options.signal_when = [&](const std::string& out) {
      if (out.find("\"type\":\"session\"") == std::string::npos) return 0;
      usleep(500'000);
      return SIGKILL;
    };
  }
  const TuneRun run = tune_recording();
  EXPECT_EQ(run.command.code, 0) << run.command.err;
  EXPECT_EQ(trials().at("A=0 B=3").verdict, Verdict::quarantined);
  EXPECT_THAT(trials().at("A=0 B=3").detail, testing::HasSubstr("attune itself was ended 3 times"));
  EXPECT_EQ(trials().at("A=0 B=3").attempts, 4);
  EXPECT_EQ(trials().at("A=0 B=4").verdict, Verdict::ok);
  EXPECT_EQ(count_of_verdict(Verdict::ok), 29);
  EXPECT_THAT(attempts(), SizeIs(0));
}

}  // namespace
}  // namespace attune::test
