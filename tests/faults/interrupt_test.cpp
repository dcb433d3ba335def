// SIGINT, SIGTERM and SIGHUP at each stage of a session: the best so far is kept, and the same command goes on.
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "faults/fault_bench.hpp"

namespace attune::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

using InterruptOnce = FaultBench;

class Interrupt : public FaultBench, public testing::WithParamInterface<int> {
 protected:
  // Sends the signal when so many trials were shown, and waits so long before.
  TuneRun interrupted_after(std::size_t trials_shown, int milliseconds = 0, CommandOptions options = {}) const {
    options.signal_when = [=](const std::string& out) {
      if (count_of(out, "\"type\":\"trial\"") < trials_shown) return 0;
      usleep(static_cast<useconds_t>(milliseconds) * 1000);
      return GetParam();
    };
    return tune_recording({}, std::move(options));
  }
  void expect_interrupted(const TuneRun& run) const {
    EXPECT_EQ(run.command.code, 130) << run.command.err;
    EXPECT_EQ(run.best.at("end"), "interrupted");
    EXPECT_LT(run.seconds, 20);
    EXPECT_LT(trials().size(), static_cast<std::size_t>(all));
  }
  void expect_the_same_command_finishes() const {
    faults("");
    const TuneRun run = tune_recording();
    EXPECT_EQ(run.command.code, 0) << run.command.err;
    EXPECT_EQ(run.best.at("end"), "finished");
    EXPECT_EQ(count_of_verdict(Verdict::ok), all);
    EXPECT_THAT(attempts(), IsEmpty());
  }
};

TEST_P(Interrupt, WhileTheSessionStarts) {
  faults("reference launch * sleep 400\n");
  CommandOptions options;
  options.signal_when = [this](const std::string&) {
    if (log().count("worker device") == 0) return 0;  // whose start comes after what catches signals
    return GetParam();
  };
  const TuneRun run = tune_recording({}, options);
  EXPECT_EQ(run.command.code, 130) << run.command.err;
  EXPECT_TRUE(run.best.is_null() || run.best.at("end") == "interrupted");
  expect_the_same_command_finishes();
}

TEST_P(Interrupt, WhileTheCompilerWorks) {
  faults("replay<2,3> compile * hang\n");
  const TuneRun run = interrupted_after(13, 200);
  expect_interrupted(run);
  EXPECT_GE(run.best.at("survivors"), 13);
  EXPECT_EQ(run.best.at("configuration").at("A"), 2);
  expect_the_same_command_finishes();
}

TEST_P(Interrupt, WhileAConfigurationIsTried) {
  faults("* sample * sleep 5\n");
  const TuneRun run = interrupted_after(4, 5);
  expect_interrupted(run);
  EXPECT_GT(run.best.at("rounds"), 10) << "what was tried is compared";
  EXPECT_THAT(attempts(), IsEmpty());  // what was under way came to its verdict
  expect_the_same_command_finishes();
}

TEST_P(Interrupt, WhileAConfigurationHangs) {
  faults("A=1&B=1 launch * hang\n");
  CommandOptions options;
  options.environment["ATTUNE_LAUNCH_LIMIT"] = "0.4";
  expect_interrupted(interrupted_after(6, 300, options));
  EXPECT_EQ(count_of_verdict(Verdict::ok), 7) << "the six, and the one that waited behind it";
}

// The search is over, its result stands: the comparison is made all the same, once.
TEST_P(Interrupt, WhileFinalistsAreCompared) {
  faults("* sample * sleep 1\n");
  const TuneRun run = interrupted_after(all, 50);
  EXPECT_EQ(run.command.code, 0) << run.command.err;
  EXPECT_EQ(run.best.at("configuration").at("A"), 3);
  EXPECT_EQ(count_of_verdict(Verdict::ok), all);
}

TEST_P(Interrupt, IsNoneByASignalThatIsIgnoredAtTheStart) {
  faults("* sample * sleep 1\n");
  CommandOptions options;
  options.ignored_signals = {GetParam()};
  const TuneRun run = interrupted_after(4, 0, options);
  EXPECT_EQ(run.command.code, 0) << run.command.err;
  EXPECT_EQ(run.best.at("end"), "finished");
  EXPECT_EQ(count_of_verdict(Verdict::ok), all);
}

TEST_P(Interrupt, TheSecondEndsTheComparisonAfterARound) {
  faults("* sample * sleep 5\n");
  CommandOptions options;
  options.signals = 2;
  const TuneRun run = interrupted_after(4, 20, options);
  expect_interrupted(run);
  EXPECT_EQ(run.best.at("rounds"), 1);
  EXPECT_THAT(attempts(), IsEmpty());
  expect_the_same_command_finishes();
}

// The second is for a comparison, and waits for what is under way.
TEST_P(Interrupt, TheThirdEndsAtOnce) {
  faults("A=1&B=1 launch * hang\n");
  CommandOptions options;
  options.environment["ATTUNE_LAUNCH_LIMIT"] = "100";
  options.signals = 3;
  const TuneRun run = interrupted_after(6, 200, options);
  EXPECT_EQ(run.command.code, 130) << run.command.err;
  EXPECT_TRUE(run.best.is_null()) << run.best;
  EXPECT_LT(run.seconds, 20);
  EXPECT_EQ(count_of_verdict(Verdict::ok), static_cast<int>(run.trials.size())) << "all that was shown is kept";
  for (int i = 0; i < 100 && processes_with({recording(6, 5)}).size() > 0; ++i) usleep(100'000);
  EXPECT_THAT(processes_with({recording(6, 5)}), IsEmpty());
  expect_the_same_command_finishes();
}

INSTANTIATE_TEST_SUITE_P(, Interrupt, testing::Values(SIGINT, SIGTERM, SIGHUP), [](const auto& parameter) {
  return std::string(parameter.param == SIGINT ? "Int" : parameter.param == SIGTERM ? "Term" : "Hup");
});

// Before there is an anchor a deadline is a minute, twice.
TEST_F(InterruptOnce, OneSignalEndsADefaultThatHangs) {
  faults("A=0&B=0 launch * hang\n");
  CommandOptions options;
  options.signal_when = [this](const std::string&) { return log().count("launch 1 A=0 B=0") > 0 ? SIGINT : 0; };
  const TuneRun run = tune_recording({}, options);
  EXPECT_EQ(run.command.code, 130) << run.command.err;
  EXPECT_EQ(run.best.at("end"), "interrupted");
  EXPECT_LT(run.seconds, 20);
  faults("");
  EXPECT_EQ(tune_recording().best.at("end"), "finished");
}

TEST_F(InterruptOnce, ADefaultThatHangsEndsTheSessionInItsTime) {
  faults("BLOCK=256 launch * hang\n");
  const TuneRun run = tune({"axpy", "--device", "host", "--problem", "n=65536 T=float", "--parameters",
                            "BLOCK=256,128 VECTOR=1 ITEMS=1 CACHE=Cache::plain BLOCKS_PER_SM=0", "--time-limit", "1s",
                            "--db", database()});
  EXPECT_EQ(run.command.code, 3) << run.command.err;
  EXPECT_LT(run.seconds, 40) << "ten seconds, and the start";
  EXPECT_THAT(run.best.at("explanation").get<std::string>(), HasSubstr("default configuration of axpy did not end"));
  EXPECT_THAT(attempts(), IsEmpty()) << "it may be slow, and is to blame for nothing";
}

// Workers end with the coordinator, whatever they are doing.
TEST_F(InterruptOnce, NoWorkerOutlivesACoordinatorThatIsKilled) {
  faults("A=0&B=2 launch * hang\n");
  CommandOptions options;
  options.environment["ATTUNE_LAUNCH_LIMIT"] = "100";
  std::size_t workers = 0;
  options.signal_when = [&](const std::string& out) {
    if (count_of(out, "\"type\":\"trial\"") < 2) return 0;
    workers = processes_with({recording(6, 5)}).size();
    return SIGKILL;
  };
  EXPECT_EQ(tune_recording({}, options).command.code, 128 + SIGKILL);
  EXPECT_GE(workers, 3u);  // coordinator, device, compiler
  for (int i = 0; i < 100 && processes_with({recording(6, 5)}).size() > 0; ++i) usleep(100'000);
  EXPECT_THAT(processes_with({recording(6, 5)}), IsEmpty());
}

// A compiler runs in a process group of its own, so that no signal to its worker reaches it.
TEST_F(InterruptOnce, NoCompilerOutlivesACoordinatorThatIsKilled) {
  namespace fs = std::filesystem;
  const fs::path compiler = folder_ / "compiler", begun = folder_ / "begun";
  std::ofstream(compiler) << "#!/bin/sh\ncase \"$*\" in *-dump*|*--version*) exec g++ \"$@\";; esac\n: > '"
                          << begun.string() << "'\nsleep 100\n";
  fs::permissions(compiler, fs::perms::owner_all);
  CommandOptions options;
  options.environment["ATTUNE_HOST_CXX"] = compiler.string();
  options.signal_when = [&](const std::string&) { return fs::exists(begun) ? SIGKILL : 0; };
  EXPECT_EQ(tune({scale(), "--db", database()}, options).command.code, 128 + SIGKILL);
  for (int i = 0; i < 100 && !processes_with({compiler.string()}).empty(); ++i) usleep(100'000);
  EXPECT_THAT(processes_with({compiler.string()}), IsEmpty());
}

}  // namespace
}  // namespace attune::test
