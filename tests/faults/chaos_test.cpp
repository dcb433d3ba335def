// Everything goes wrong at once: each phase of each attempt fails with a probability of 5 %, the coordinator is killed
// ten times. In the end every configuration has one verdict, none was tried after it had one, and the record is that of
// a session in which nothing went wrong.
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <random>
#include <set>

#include "faults/fault_bench.hpp"
#include "measure/protocol.hpp"

namespace attune::test {
namespace {

constexpr int chaos_trials = 500, chaos_kills = 10;

constexpr const char* everything =
    "3% compile * signal 11\n2% compile * exit 3\n"
    "2% load * error 700\n1% load * exit 1\n1% load * half\n1% load * signal 6\n"
    "2% launch * later 719\n2% launch * signal 7\n1% launch * garbage\n"
    "3% synchronize * error 716\n2% synchronize * exit 0\n"
    "4% sample * error 999\n1% sample * hang\n";

class Chaos : public FaultBench {
 protected:
  // A life that is ended by SIGKILL some time after so many trials.
  TuneRun killed_after(std::size_t trials_told, int microseconds) const {
    CommandOptions options = short_launches();
    options.signal_when = [=](const std::string& out) {
      if (count_of(out, "\"type\":\"trial\"") < trials_told) return 0;
      usleep(static_cast<useconds_t>(microseconds));
      return SIGKILL;
    };
    return tune_recording(arguments(), options);
  }
  std::vector<std::string> arguments() const {
    return {"--device", "replay:" + recording(25, 20) + ",workers", "--strategy", "random"};
  }
  static CommandOptions short_launches() {
    CommandOptions options;
    options.environment["ATTUNE_LAUNCH_LIMIT"] = "0.2";
    return options;
  }
  // Configurations that were tried since line `begin` of the log.
  std::set<std::string> tried_since(std::size_t begin) const {
    std::set<std::string> tried;
    const std::vector<std::string> lines = log().lines();
    for (std::size_t i = begin; i < lines.size(); ++i)
      if (lines[i].starts_with("try ")) tried.insert(lines[i].substr(lines[i].find("A=")));
    return tried;
  }
};

TEST_F(Chaos, TheRecordIsThatOfAQuietSessionAndNoVerdictIsLostOrRepeated) {
  const TuneRun quiet = tune_recording(arguments());
  ASSERT_EQ(quiet.command.code, 0) << quiet.command.err;
  ASSERT_EQ(count_of_verdict(Verdict::ok), chaos_trials);
  std::filesystem::remove(database());
  std::filesystem::remove(script() + ".log");

  faults(everything);
  std::mt19937 random(11);
  std::map<std::string, Trial> before;
  std::size_t lines_before = 0;
  // What has its verdict is tried again only to be compared with the best, which it must be near.
  const auto expect_kept = [&](const std::set<std::string>& tried, double compared_within) {
    const std::map<std::string, Trial> now = trials();
    double best = 1e300;
    for (const auto& [text, trial] : now)
      if (trial.verdict == Verdict::ok) best = std::min(best, trial.measurement.median_ns / trial.anchor_ns);
    for (const auto& [text, trial] : before) {
      ASSERT_TRUE(now.contains(text)) << "the verdict of " << text << " is lost";
      EXPECT_EQ(to_text(now.at(text).verdict), to_text(trial.verdict)) << text;
      EXPECT_EQ(now.at(text).measurement.samples_ns, trial.measurement.samples_ns) << text;
      if (!tried.contains(text) || text == "A=0 B=0") continue;  // the default is the anchor of each life
      EXPECT_LE(trial.measurement.median_ns / trial.anchor_ns, compared_within * best) << text << " was tried again";
    }
    before = now;
    lines_before = log().lines().size();
  };
  for (int i = 0; i < chaos_kills; ++i) {
    const auto trials_told = std::uniform_int_distribution<std::size_t>(5, 60)(random);
    const TuneRun run = killed_after(trials_told, std::uniform_int_distribution(0, 30'000)(random));
    ASSERT_EQ(run.command.code, 128 + SIGKILL) << run.command.err;
    EXPECT_LE(attempts().size(), 18u);
    expect_kept(tried_since(lines_before), 0);
  }
  const TuneRun last = tune_recording(arguments(), short_launches());
  ASSERT_EQ(last.command.code, 0) << last.command.err;
  EXPECT_EQ(last.best.at("end"), "finished");
  expect_kept(tried_since(lines_before), Protocol{}.confirm_ratio);

  EXPECT_EQ(trials().size(), static_cast<std::size_t>(chaos_trials));
  EXPECT_THAT(attempts(), testing::IsEmpty());
  EXPECT_GE(count_of_verdict(Verdict::ok), chaos_trials * 9 / 10);
  EXPECT_LT(count_of_verdict(Verdict::ok), chaos_trials);  // some do fail twice
  for (const auto& [text, trial] : trials()) {
    const bool has_failed = trial.verdict != Verdict::ok;
    EXPECT_TRUE(!has_failed || trial.deaths >= 2) << text;
  }
  EXPECT_GE(quarantined().size() + static_cast<std::size_t>(count_of_verdict(Verdict::compile_crash)),
            static_cast<std::size_t>(chaos_trials - count_of_verdict(Verdict::ok)));
  const double right = quiet.best.at("median_ns"), found = last.best.at("median_ns");
  EXPECT_NEAR(found / right, 1, 0.01) << last.best.dump() << "\n" << quiet.best.dump();
}

}  // namespace
}  // namespace attune::test
