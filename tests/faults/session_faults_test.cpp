// What is more than one configuration's affair: the environment, quarantine over sessions, hopeless searches, several
// tuners at once, a strange environment.
#include <SQLiteCpp/SQLiteCpp.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <future>
#include <optional>
#include <thread>

#include "faults/fault_bench.hpp"

namespace attune::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class SessionFaults : public FaultBench {
 protected:
  // The session ended because of the environment: nothing is said of any configuration, and everything goes on later.
  void expect_environment_blamed(const TuneRun& run, const std::string& why) const {
    EXPECT_EQ(run.command.code, 1);
    EXPECT_THAT(run.command.err, HasSubstr("no configuration is blamed"));
    EXPECT_THAT(run.command.err, HasSubstr(why));
    EXPECT_TRUE(run.best.is_null());
    EXPECT_EQ(count_of_verdict(Verdict::ok), static_cast<int>(trials().size()));
    EXPECT_FALSE(trials().contains(bad));
    EXPECT_THAT(quarantined(), IsEmpty());
  }
  void expect_finished(const TuneRun& run) const {
    EXPECT_EQ(run.command.code, 0) << run.command.err;
    EXPECT_EQ(count_of_verdict(Verdict::ok), all);
    EXPECT_THAT(attempts(), IsEmpty());
  }
};

TEST_F(SessionFaults, WhenTheAnchorFailsInFreshWorkersTheEnvironmentIsBlamed) {
  faults("A=5&B=4 launch 1 signal 11\nA=0&B=0 sample w>1 error 719\n");
  expect_environment_blamed(tune_recording(), "719");
  ASSERT_THAT(attempts(), SizeIs(1));
  EXPECT_EQ(attempts().at(0).configuration.text(), bad);
  faults("");
  expect_finished(tune_recording());
}

TEST_F(SessionFaults, ADeviceThatVanishesEndsTheSessionAndTheSameCommandGoesOn) {
  faults("A=5&B=4 launch * vanish\n");
  expect_environment_blamed(tune_recording(), "CUDA error 100");
  EXPECT_EQ(trials().size(), static_cast<std::size_t>(all - 1));
  const TuneRun still_gone = tune_recording();
  EXPECT_EQ(still_gone.command.code, 1);
  EXPECT_THAT(still_gone.command.err, HasSubstr("CUDA error 100"));
  std::filesystem::remove(script() + ".gone");
  faults("");
  expect_finished(tune_recording());
  EXPECT_EQ(log().count("try 1 A=4 B=0"), 1);  // nothing was tried again
}

TEST_F(SessionFaults, ACompilerThatFailsForWhatItCompiledBeforeEndsTheSession) {
  // The compiler is checked by the image that compiled first: the default's or the reference's.
  const std::string fresh = "compile w>" + std::to_string(std::max(1u, std::thread::hardware_concurrency()));
  faults("replay<5,4> compile * signal 11\nreplay<0,0> " + fresh + " signal 11\nreplay_reference " + fresh +
         " signal 11\n");
  expect_environment_blamed(tune_recording(), "the compiler fails now, in fresh processes too");
  faults("");
  expect_finished(tune_recording());
}

TEST_F(SessionFaults, QuarantineHoldsInLaterSessionsUntilItIsLifted) {
  faults("A=5&B=4 launch * error 700\n");
  EXPECT_EQ(tune_recording().command.code, 0);
  EXPECT_THAT(quarantined(), SizeIs(1));
  faults("");
  const TuneRun second = tune_recording({"--fresh", "--seed", "2"});
  EXPECT_EQ(second.command.code, 0) << second.command.err;
  EXPECT_EQ(trials().at(bad).verdict, Verdict::quarantined);
  EXPECT_THAT(trials().at(bad).detail, HasSubstr("killed two workers before (fault)"));
  EXPECT_THAT(trials().at(bad).detail, HasSubstr("--lift-quarantine"));
  EXPECT_EQ(second.workers_replaced(), 0);
  EXPECT_EQ(log().count("try 1 A=5 B=4") + log().count("try 2 A=5 B=4"), 2);  // of the first session
  expect_finished(tune_recording({"--fresh", "--seed", "3", "--lift-quarantine"}));
  EXPECT_THAT(quarantined(), IsEmpty());
}

TEST_F(SessionFaults, AFinishedSessionTellsWhatIsQuarantinedAndTriesItAgainWhenLifted) {
  faults("A=5&B=4 launch * error 700\n");
  const TuneRun first = tune_recording();
  EXPECT_EQ(first.best.at("end"), "finished");
  const auto expect_told = [](const TuneRun& run) {
    ASSERT_THAT(run.best.at("left_out"), SizeIs(1));
    EXPECT_EQ(run.best.at("left_out")[0].at("verdict"), "fault");
  };
  expect_told(first);
  const TuneRun known = tune_recording();
  EXPECT_EQ(known.best.at("end"), "known");
  expect_told(known);
  CommandOptions options;
  options.environment["ATTUNE_FAULTS"] = script();
  const CommandResult text = run("attune_with_faults",
                                 {"tune", "--device", "replay:" + recording(6, 5) + ",workers", "--effort",
                                  "exhaustive", "--seed", "1", "--db", database()},
                                 options);
  EXPECT_THAT(text.out, AllOf(HasSubstr("left out: 1 configuration (A=5 B=4: fault)"),
                              HasSubstr("--lift-quarantine tries it again")));
  const int tried = log().count("try 1 A=5 B=4");
  faults("");
  const TuneRun lifted = tune_recording({"--lift-quarantine"});
  expect_finished(lifted);
  EXPECT_EQ(lifted.best.at("run_trials"), 1) << "all others have their verdicts";
  EXPECT_EQ(log().count("try 1 A=5 B=4") + log().count("try 2 A=5 B=4"), tried + 2) << "after one attempt";
  EXPECT_EQ(tune_recording({"--lift-quarantine"}).best.at("end"), "known") << "nothing is left to lift";
}

TEST_F(SessionFaults, ALimitOfProcessorTimeBlamesNoConfiguration) {
  CommandOptions options;
  options.environment["ATTUNE_LAUNCH_LIMIT"] = "60";
  options.processor_limit = 2;
  for (const bool is_soft : {false, true}) {
    options.is_soft_limit = is_soft;
    faults("A=5&B=4 launch * spin\n");
    expect_environment_blamed(tune_recording({}, options), "ulimit -t");
  }
  faults("");
  expect_finished(tune_recording());
}

// What dies among several is sampled alone, in fresh workers.
TEST_F(SessionFaults, ALimitOfProcessorTimeBlamesNoFinalist) {
  faults("A=3&B=2 sample w>1 spin\nA=3&B=2 sample n>60 signal 11\n");
  CommandOptions options;
  options.environment["ATTUNE_LAUNCH_LIMIT"] = "60";
  options.processor_limit = 2;
  const TuneRun run = tune_recording({}, options);
  EXPECT_EQ(run.command.code, 1);
  EXPECT_THAT(run.command.err, AllOf(HasSubstr("ulimit -t"), HasSubstr("no configuration is blamed")));
  EXPECT_EQ(count_of_verdict(Verdict::ok), all);
  EXPECT_THAT(quarantined(), IsEmpty());
}

// As by a system without memory.
TEST_F(SessionFaults, WhatIsKilledFromOutsideIsTriedAgainByTheNextSession) {
  for (const int signal : {SIGKILL, SIGTERM, SIGHUP, SIGINT}) {
    SCOPED_TRACE(signal);
    std::filesystem::remove(database());
    const std::string kills = "A=5&B=4 launch * signal " + std::to_string(signal) + "\n";
    faults(kills);
    const TuneRun run = tune_recording();
    EXPECT_EQ(run.command.code, 0) << run.command.err;
    EXPECT_EQ(trials().at(bad).verdict, Verdict::fault);
    EXPECT_THAT(quarantined(), IsEmpty());
    EXPECT_THAT(run.notes, Contains(HasSubstr("from outside perhaps")));
    ASSERT_THAT(run.best.at("left_out"), SizeIs(1));
    if (signal == SIGTERM) {
      tune_recording();
      EXPECT_THAT(quarantined(), SizeIs(1)) << "in two sessions";
      EXPECT_EQ(tune_recording().best.at("end"), "known");
      continue;
    }
    faults("");
    EXPECT_EQ(tune_recording().best.at("run_trials"), 1);
    EXPECT_EQ(count_of_verdict(Verdict::ok), all);
  }
}

TEST_F(SessionFaults, AKillFarBelowALimitOfProcessorTimeIsNotThatLimit) {
  faults("A=5&B=4 launch * signal " + std::to_string(SIGKILL) + "\n");
  CommandOptions options;
  options.processor_limit = 100'000;
  const TuneRun run = tune_recording({}, options);
  EXPECT_EQ(run.command.code, 0) << run.command.err;
  EXPECT_EQ(trials().at(bad).verdict, Verdict::fault);
  EXPECT_EQ(count_of_verdict(Verdict::ok), all - 1);
}

TEST_F(SessionFaults, ASearchInWhichAllFailAlikeStops) {
  std::string script_text;
  for (int a = 0; a < 20; ++a) script_text += "A=" + std::to_string(a) + " launch * error 701\n";
  faults(script_text);
  const TuneRun run = tune_recording({"--device", "replay:" + recording(20, 5) + ",workers", "--effort", "measure"});
  EXPECT_EQ(run.command.code, 3);
  EXPECT_EQ(run.best.at("end"), "no_survivor");
  EXPECT_EQ(run.best.at("reason"), "hopeless");
  EXPECT_THAT(run.trials, SizeIs(51)) << "the first fifty, and the one that the device worker had begun";
  EXPECT_EQ(count_of(run.command.err, "CUDA error 701"), 1u);  // one log, not fifty-one
  EXPECT_THAT(run.command.err, HasSubstr("51 resources"));
  EXPECT_THAT(run.command.err, HasSubstr("[restrictions]"));
  EXPECT_THAT(run.command.err, HasSubstr("--keep-going"));
}

TEST_F(SessionFaults, ASearchInWhichNearlyAllFailAlikeKeepsTheBestAndStops) {
  std::string script_text;
  for (int a = 1; a < 20; ++a) script_text += "A=" + std::to_string(a) + " launch * error 701\n";
  faults(script_text);
  const std::vector<std::string> arguments{
      "--device", "replay:" + recording(20, 5) + ",workers", "--effort", "measure", "--strategy", "random"};
  const TuneRun run = tune_recording(arguments);
  EXPECT_EQ(run.command.code, 0) << run.command.err;
  EXPECT_EQ(run.best.at("end"), "stopped");
  EXPECT_THAT(run.best.at("explanation").get<std::string>(), HasSubstr("fail alike"));
  EXPECT_THAT(run.trials, SizeIs(51));
  EXPECT_EQ(run.best.at("configuration").at("A"), 0);
  std::vector<std::string> going_on = arguments;
  going_on.insert(going_on.end(), {"--keep-going", "--fresh"});
  const TuneRun all_of_it = tune_recording(going_on);
  EXPECT_EQ(all_of_it.command.code, 0) << all_of_it.command.err;
  EXPECT_THAT(all_of_it.trials, SizeIs(100));
}

TEST_F(SessionFaults, TwoTunersOfOneDeviceTakeTurns) {
  faults("* sample * alone 5\n* launch * alone 5\n");
  const auto tune_apart = [this](const std::string& name) {
    return tune({scale(), "--trials", "4", "--time-limit", "4s", "--db", (folder_ / name).string()});
  };
  auto other = std::async(std::launch::async, tune_apart, "other.db");
  const TuneRun one = tune_apart("one.db");
  const TuneRun two = other.get();
  EXPECT_EQ(one.command.code, 0) << one.command.err;
  EXPECT_EQ(two.command.code, 0) << two.command.err;
  EXPECT_EQ(log().count("together"), 0);
}

TEST_F(SessionFaults, ATunerThatWaitsForAnotherSaysSo) {
  const std::vector<std::string> arguments{scale(), "--trials", "2", "--time-limit", "4s", "--fresh"};
  ASSERT_EQ(tune(arguments).command.code, 0);  // makes the lock's file
  std::filesystem::path file;
  for (const auto& entry : std::filesystem::directory_iterator(folder_ / "cache" / "locks"))
    if (entry.path().extension() == ".lock") file = entry.path();
  const int lock = open(file.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(flock(lock, LOCK_EX), 0) << file;
  CommandOptions interrupted;
  interrupted.signal_when = [](const std::string& out) {
    return out.find("waiting for another tuner") != std::string::npos ? SIGINT : 0;
  };
  const TuneRun ended = tune(arguments, interrupted);
  EXPECT_EQ(ended.command.code, 130) << ended.command.err;
  EXPECT_THAT(ended.command.err, HasSubstr("interrupted while it waited for another tuner on this device"));
  CommandOptions options;
  std::optional<std::chrono::steady_clock::time_point> seen;
  options.signal_when = [lock, &seen](const std::string& out) {
    using namespace std::chrono_literals;
    if (!seen && out.find("waiting for another tuner") != std::string::npos) seen = std::chrono::steady_clock::now();
    // Longer than the search and its reference have: the wait is not theirs.
    if (seen && std::chrono::steady_clock::now() - *seen > 11s) flock(lock, LOCK_UN);
    return 0;
  };
  const TuneRun waited = tune(arguments, options);
  close(lock);
  EXPECT_EQ(waited.command.code, 0) << waited.command.err;
  EXPECT_THAT(waited.notes, Contains(HasSubstr("s for another tuner on this device")));
}

TEST_F(SessionFaults, ATunerThatWaitsForTheDatabaseSaysSoAndEndsWithOneSignal) {
  ASSERT_EQ(tune_recording({"--trials", "2"}).command.code, 0);
  faults("* sample * sleep 20\n");
  SQLite::Database other(database(), SQLite::OPEN_READWRITE);
  CommandOptions options;
  std::optional<std::chrono::steady_clock::time_point> locked;
  options.signal_when = [&](const std::string& out) {
    if (out.find("\"type\":\"trial\"") == std::string::npos) return 0;
    using namespace std::chrono_literals;
    if (!locked) {
      other.setBusyTimeout(5000);
      other.exec("BEGIN IMMEDIATE");
      locked = std::chrono::steady_clock::now();
    }
    return std::chrono::steady_clock::now() - *locked > 3s ? SIGINT : 0;
  };
  const TuneRun run = tune_recording({"--fresh"}, options);
  other.exec("ROLLBACK");
  EXPECT_EQ(run.command.code, 130) << run.command.err;
  EXPECT_THAT(run.command.err, AllOf(HasSubstr("attune: waiting for the wisdom database " + database()),
                                     HasSubstr("interrupted while it waited for the wisdom database")));
  EXPECT_LT(run.seconds, 20);
}

TEST_F(SessionFaults, ATunerThatWaitsToOpenTheDatabaseEndsWithOneSignal) {
  ASSERT_EQ(tune_recording({"--trials", "2"}).command.code, 0);
  SQLite::Database other(database(), SQLite::OPEN_READWRITE);
  other.exec("BEGIN EXCLUSIVE");
  CommandOptions options;
  const auto begin = std::chrono::steady_clock::now();
  options.signal_when = [&](const std::string&) {
    using namespace std::chrono_literals;
    return std::chrono::steady_clock::now() - begin > 3s ? SIGINT : 0;
  };
  const TuneRun run = tune_recording({"--fresh"}, options);
  other.exec("ROLLBACK");
  EXPECT_EQ(run.command.code, 130) << run.command.err;
  EXPECT_THAT(run.command.err, AllOf(HasSubstr("attune: waiting for the wisdom database " + database()),
                                     HasSubstr("interrupted while it waited for the wisdom database")));
  EXPECT_LT(run.seconds, 20);
}

class ShiftedClock : public SessionFaults, public testing::WithParamInterface<const char*> {};

TEST_P(ShiftedClock, HarmsNothing) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "nothing may be preloaded before the sanitizer";
#endif
  faults("* launch * sleep 10\n");
  CommandOptions options;
  options.environment["LD_PRELOAD"] = ATTUNE_BUILD_DIR "/bin/shifted_clock.so";
  options.environment["SHIFTED_CLOCK_SECONDS"] = GetParam();
  const TuneRun half = tune_recording({"--trials", "15"}, options);
  EXPECT_EQ(half.command.code, 0) << half.command.err;
  EXPECT_EQ(trials().size(), 15u);
  const int tried = log().count("try 1 A=0 B=4");
  expect_finished(tune_recording());               // by the right clock again
  EXPECT_EQ(log().count("try 1 A=0 B=4"), tried);  // nor is it a finalist of all
  const TuneRun known = tune_recording({}, options);
  EXPECT_EQ(known.best.at("end"), "known");
  EXPECT_EQ(known.best.at("configuration").at("A"), 3);
}

INSTANTIATE_TEST_SUITE_P(, ShiftedClock, testing::Values("-86400", "315360000"));

TEST_F(SessionFaults, WithoutAHomeFolderTheNamedOnesAreUsed) {
  CommandOptions options;
  options.environment = {{"HOME", ""}, {"ATTUNE_DB", ""}, {"ATTUNE_CACHE", ""}};
  options.environment["XDG_DATA_HOME"] = (folder_ / "data").string();
  options.environment["XDG_CACHE_HOME"] = (folder_ / "caches").string();
  const TuneRun run = tune({scale(), "--trials", "3"}, options);
  EXPECT_EQ(run.command.code, 0) << run.command.err;
  EXPECT_TRUE(std::filesystem::exists(folder_ / "data" / "attune" / "wisdom.db"));
}

class ClosedOutput : public SessionFaults, public testing::WithParamInterface<const char*> {};

// Descriptors 0 to 2 are given to what is opened first: that must not be what children or kernels print to.
TEST_P(ClosedOutput, LosesNoTrial) {
  const std::string command = std::string("exec '") +
                              ATTUNE_BUILD_DIR "/bin/attune_with_faults' tune --device 'replay:" + recording(6, 5) +
                              ",workers' --effort exhaustive --seed 1 --json --db '" + database() + "' " + GetParam();
  CommandOptions options;
  options.environment["ATTUNE_FAULTS"] = script();
  const CommandResult result = run_command({"/bin/sh", "-c", command}, options);
  EXPECT_EQ(result.code, 1) << result.err;
  expect_finished(tune_recording());
  EXPECT_EQ(log().count("try 1 A=0 B=4"), 1);  // by the command that could not tell
}

INSTANTIATE_TEST_SUITE_P(, ClosedOutput, testing::Values(">&-", ">&- 2>&-", "<&- >&- 2>&-", "> /dev/full"));

TEST_F(SessionFaults, AReaderThatLeavesEndsNothing) {
  const std::string command = std::string("'") +
                              ATTUNE_BUILD_DIR "/bin/attune_with_faults' tune --device 'replay:" + recording(6, 5) +
                              ",workers' --effort exhaustive --seed 1 --json --db '" + database() + "' | head -n 2";
  CommandOptions options;
  options.environment["ATTUNE_FAULTS"] = script();
  const CommandResult result = run_command({"/bin/sh", "-c", command}, options);
  EXPECT_EQ(count_of(result.out, "\n"), 2u);
  EXPECT_EQ(trials().size(), static_cast<std::size_t>(all));
}

// Without an anchor a score is a time, with one a ratio: what was found before must not lose by that.
TEST_F(SessionFaults, WhatSurvivedWithoutAnAnchorCompetesWhenThereIsOne) {
  const std::vector<std::string> device = {"--device", "replay:" + recording(12, 10) + ",workers"};
  faults("A=0&B=0 launch * signal 9\n");
  tune_recording({device[0], device[1], "--trials", "70"});
  EXPECT_EQ(trials().at("A=0 B=0").verdict, Verdict::fault);
  ASSERT_TRUE(trials().contains("A=6 B=5"));
  EXPECT_EQ(trials().at("A=6 B=5").anchor_ns, 0);
  faults("");
  const TuneRun run = tune_recording(device);
  EXPECT_EQ(trials().at("A=0 B=0").verdict, Verdict::ok) << "killed from outside, perhaps: it has another chance";
  for (const nlohmann::json& trial : run.trials) EXPECT_FALSE(trial.at("new_best").get<bool>()) << trial.dump();
  EXPECT_EQ(run.best.at("configuration"), (nlohmann::json{{"A", 6}, {"B", 5}})) << run.command.out;
}

// Between two jobs nobody waits for an answer of it. It held the session for two minutes.
TEST_F(SessionFaults, ADeviceWorkerThatIsStoppedIsReplaced) {
  CommandOptions options;
  bool is_stopped = false;
  options.signal_when = [&](const std::string& out) {
    if (is_stopped || count_of(out, "\"type\":\"trial\"") < 3) return 0;
    for (const pid_t worker : processes_with({recording(6, 5), std::string("worker\0device", 13)}))
      is_stopped = kill(worker, SIGSTOP) == 0;
    return 0;
  };
  const TuneRun run = tune_recording({}, options);
  EXPECT_TRUE(is_stopped);
  EXPECT_EQ(run.command.code, 0) << run.command.err;
  EXPECT_EQ(run.best.at("end"), "finished");
  EXPECT_EQ(count_of_verdict(Verdict::ok), all);
  EXPECT_GE(run.workers_replaced(), 1);
  EXPECT_LT(run.seconds, 100);
  EXPECT_THAT(quarantined(), IsEmpty());
}

}  // namespace
}  // namespace attune::test
