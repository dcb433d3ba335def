// What a compiler does wrong with one configuration, through the real compile workers.
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "faults/fault_bench.hpp"

namespace attune::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class CompileFaults : public FaultBench {
 protected:
  TuneRun run_with(const std::string& rule, const std::string& variable = "", const std::string& value = "") const {
    faults("replay<5,4> compile " + rule + "\n");
    CommandOptions options;
    if (!variable.empty()) options.environment[variable] = value;
    return tune_recording({}, options);
  }
  void expect_verdict(const TuneRun& run, Verdict verdict, const std::string& detail) const {
    EXPECT_EQ(run.command.code, 0) << run.command.err;
    const std::map<std::string, Trial> found = trials();
    ASSERT_EQ(found.size(), static_cast<std::size_t>(all));
    EXPECT_EQ(to_text(found.at(bad).verdict), to_text(verdict)) << found.at(bad).detail;
    EXPECT_THAT(found.at(bad).detail, HasSubstr(detail));
    EXPECT_EQ(count_of_verdict(Verdict::ok), all - 1);
    EXPECT_EQ(run.workers_replaced(), 0);  // of the device: it never saw anything of it
    EXPECT_THAT(attempts(), IsEmpty());
    EXPECT_EQ(run.best.at("configuration").at("A"), 3);
  }
  // In a session that tried it twice, and may be the fault of something else.
  void expect_tried_twice(const TuneRun& run, Verdict verdict, const std::string& detail, int sessions = 1) const {
    expect_verdict(run, verdict, detail);
    EXPECT_EQ(log().count("compile 1 replay<5, 4>"), sessions);
    EXPECT_EQ(log().count("compile 2 replay<5, 4>"), sessions);
    ASSERT_THAT(run.best.at("left_out"), SizeIs(1));
    EXPECT_EQ(run.best.at("left_out")[0].at("verdict"), to_text(verdict));
    EXPECT_EQ(run.best.at("left_out")[0].at("configuration").at("A"), 5);
  }
  // The session that had finished tries it again, once: a crash is then lasting, lateness never is.
  void expect_second_chance(const std::string& rule, Verdict verdict, const std::string& detail,
                            const std::string& variable = "", const std::string& value = "") const {
    expect_tried_twice(run_with(rule, variable, value), verdict, detail);
    EXPECT_EQ(log().count("worker compile"), 3);
    EXPECT_THAT(quarantined(), IsEmpty());
    const TuneRun second = run_with(rule, variable, value);
    expect_tried_twice(second, verdict, detail, 2);
    EXPECT_EQ(second.best.at("end"), "finished");
    EXPECT_THAT(quarantined(), SizeIs(verdict == Verdict::compile_crash ? 1 : 0));
    const TuneRun third = run_with(rule, variable, value);
    EXPECT_EQ(third.best.at("end"), "known");
    EXPECT_THAT(third.best.at("left_out"), SizeIs(1));
    EXPECT_EQ(log().count("compile 1 replay<5, 4>"), 2);
    faults("");
    const TuneRun lifted = tune_recording({"--lift-quarantine"});
    EXPECT_EQ(lifted.best.at("end"), "finished");
    EXPECT_FALSE(lifted.best.contains("left_out"));
    EXPECT_EQ(lifted.best.at("run_trials"), 1) << "and nothing else";
    EXPECT_EQ(count_of_verdict(Verdict::ok), all);
  }
};

TEST_F(CompileFaults, ALogWithoutEndIsKeptAtItsBeginning) {
  const TuneRun run = run_with("* log 100");
  expect_verdict(run, Verdict::compile_error, "error: the first line");
  const std::string detail = trials().at(bad).detail;
  EXPECT_LT(detail.size(), 66'000u);
  EXPECT_THAT(detail.substr(detail.size() - 20), HasSubstr("bytes more"));
  EXPECT_THAT(quarantined(), IsEmpty());
  EXPECT_LT(run.seconds, 30);
}

TEST_F(CompileFaults, ACompilerThatSleepsForEverEndsAtItsDeadline) {
  expect_second_chance("* hang", Verdict::compile_timeout, "did not end", "ATTUNE_COMPILE_LIMIT", "1");
}

TEST_F(CompileFaults, ACompilerThatComputesForEverEndsAtItsDeadline) {
  expect_tried_twice(run_with("* spin", "ATTUNE_COMPILE_LIMIT", "1"), Verdict::compile_timeout, "did not end");
  EXPECT_THAT(quarantined(), IsEmpty());
}

// Whoever should end it is stopped: the limit of processor time does. The command line of one that ended is empty.
TEST_F(CompileFaults, ACompilerThatComputesForEverEndsWithoutItsCoordinatorToo) {
  faults("replay<5,4> compile 1 spin\n");
  CommandOptions options;
  options.environment["ATTUNE_COMPILE_LIMIT"] = "0.3";
  std::thread waker;
  options.signal_when = [&](const std::string&) {
    if (log().count("compile 1 replay<5, 4>") == 0) return 0;
    waker = std::thread([this] {
      for (int i = 0; i < 300 && !processes_with({recording(6, 5), "compile"}).empty(); ++i) usleep(100'000);
      for (const pid_t coordinator : processes_with({database()})) kill(coordinator, SIGCONT);
    });
    return SIGSTOP;
  };
  const TuneRun run = tune_recording({}, options);
  if (waker.joinable()) waker.join();
  EXPECT_EQ(run.command.code, 0) << run.command.err;
  EXPECT_EQ(count_of_verdict(Verdict::ok), all);  // the second attempt passes
  EXPECT_GE(run.seconds, 2);                      // of processor time, not the deadline's
  EXPECT_LT(run.seconds, 20);
}

TEST_F(CompileFaults, ACompilerThatCrashesIsAVerdict) {
  expect_second_chance("* signal 11", Verdict::compile_crash, "killed by signal 11");
}

#if !defined(__SANITIZE_ADDRESS__)  // which reserves more addresses than any limit
TEST_F(CompileFaults, ACompilerThatEatsAllMemoryEndsAtItsLimit) {
  expect_tried_twice(run_with("* eat", "ATTUNE_COMPILE_MEMORY", "500"), Verdict::compile_crash, "out of memory");
}
#endif

// What a compiler that a worker starts has of the limits, which it inherits.
TEST_F(CompileFaults, ACompilerHasItsLimitsOfMemoryAndProcessorTimeByDefault) {
  namespace fs = std::filesystem;
  const fs::path compiler = folder_ / "compiler", limits = folder_ / "limits";
  std::ofstream(compiler) << "#!/bin/sh\ncase \"$*\" in *-dump*|*--version*) ;; *) ulimit -v >> '" << limits.string()
                          << "'; ulimit -t >> '" << limits.string() << "';; esac\nexec g++ \"$@\"\n";
  fs::permissions(compiler, fs::perms::owner_all);
  CommandOptions options;
  options.environment["ATTUNE_HOST_CXX"] = compiler.string();
  const TuneRun run = tune({scale(), "--db", database(), "--trials", "1"}, options);
  EXPECT_EQ(run.command.code, 0) << run.command.err;
  std::ifstream file(limits);
  double kibibytes = 0, seconds = 0;
  ASSERT_TRUE(file >> kibibytes >> seconds) << "a number, not `unlimited`";
  EXPECT_LE(kibibytes, 8.0 * 1024 * 1024);
  EXPECT_GT(kibibytes, 256.0 * 1024);
  EXPECT_GE(seconds, 600);
  EXPECT_LE(seconds, 610) << "and what the worker took to start";
}

TEST_F(CompileFaults, OneCrashIsForgivenWhenTheSecondAttemptPasses) {
  const TuneRun run = run_with("1 exit 7");
  EXPECT_EQ(run.command.code, 0) << run.command.err;
  EXPECT_EQ(count_of_verdict(Verdict::ok), all);
  EXPECT_THAT(quarantined(), IsEmpty());
  EXPECT_EQ(log().count("worker compile"), 2);
}

// Such a limit ends any compiler, whatever it compiles.
TEST_F(CompileFaults, ALimitOfProcessorTimeBlamesNoConfiguration) {
  CommandOptions options;
  options.environment["ATTUNE_COMPILE_LIMIT"] = "60";
  options.processor_limit = 2;
  for (const bool is_soft : {false, true}) {
    options.is_soft_limit = is_soft;
    faults("replay<5,4> compile * spin\n");
    const TuneRun run = tune_recording({}, options);
    EXPECT_EQ(run.command.code, 1);
    EXPECT_THAT(run.command.err, HasSubstr("ulimit -t"));
    EXPECT_FALSE(trials().contains(bad));
    EXPECT_THAT(quarantined(), IsEmpty());
  }
  faults("");
  EXPECT_EQ(tune_recording().command.code, 0);
  EXPECT_EQ(count_of_verdict(Verdict::ok), all);
}

TEST_F(CompileFaults, ALimitThatIsNoNumberIsUsage) {
  for (const char* variable : {"ATTUNE_COMPILE_LIMIT", "ATTUNE_COMPILE_MEMORY", "ATTUNE_LAUNCH_LIMIT"}) {
    for (const char* value : {"soon", "-1", "0", "nan", "1s"}) {
      const TuneRun run = run_with("* exit 1", variable, value);
      EXPECT_EQ(run.command.code, 2) << variable << "=" << value << ": " << run.command.err;
      EXPECT_THAT(run.command.err, HasSubstr(variable));
    }
  }
}

}  // namespace
}  // namespace attune::test
