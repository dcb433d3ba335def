// tune(): sessions inside a program, on the host device, for real.
#include "attune/tune.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "attune/attune.hpp"
#include "attune/kernel_files.hpp"
#include "base/quiet_signal.hpp"
#include "db/wisdom_store.hpp"
#include "spec/kernel_file.hpp"
#include "support/message_of.hpp"

namespace attune {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr const char* attune_program = ATTUNE_BUILD_DIR "/bin/attune";

class TuneInside : public testing::Test {
 protected:
  TuneInside() {
    std::string pattern = (fs::temp_directory_path() / "attune-tune-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    folder_ = pattern;
    setenv("ATTUNE_CACHE", (folder_ / "cache").c_str(), 1);
    write("scale.cu", scale_text());
  }
  ~TuneInside() override {
    unsetenv("ATTUNE_CACHE");
    fs::remove_all(folder_);
  }
  static std::string scale_text(const std::string& before = {}, const std::string& after = {}) {
    std::ifstream in(ATTUNE_TEST_DATA "/kernels/scale.cu");
    std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    if (!before.empty()) text.replace(text.find(before), before.size(), after);
    return text;
  }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  std::string scale() const { return (folder_ / "scale.cu").string(); }
  DispatcherOptions options() {
    return {.device = "host",
            .database = folder_ / "data" / "wisdom.db",
            .cache = folder_ / "cache",
            .warn = [](const std::string& message) { ADD_FAILURE() << message; }};
  }
  static TuneOptions briefly(Isolation isolation) {
    TuneOptions chosen;
    chosen.isolation = isolation;
    chosen.executable = attune_program;
    chosen.trials = 3;
    chosen.patience = 1;
    chosen.seconds = 3;  // the final comparison takes no longer
    return chosen;
  }
  fs::path folder_;
  const Problem problem_{{"n", 2000}, {"T", "float"}};
};

TEST_F(TuneInside, ARefreshTakesTheResultUp) {
  for (const Isolation isolation : {Isolation::none, Isolation::processes}) {
    Dispatcher gpu(options());
    gpu.add(kernel_file(scale()));
    const Problem problem{{"n", isolation == Isolation::none ? 2000 : 90'000}, {"T", "int32"}};
    EXPECT_EQ(gpu.plan("scale", problem).match().rung, Rung::none);
    std::int64_t seen = 0;
    TuneOptions chosen = briefly(isolation);
    chosen.on_trial = [&](const TuneTrial& trial) { seen = trial.trials; };
    const TuneResult result = tune(gpu, scale(), problem, Effort::measure, chosen);
    ASSERT_TRUE(result.configuration) << result.explanation;
    EXPECT_GT(result.median_ns, 0);
    EXPECT_GT(result.default_ns, 0);
    EXPECT_GT(seen, 0);
    EXPECT_LE(result.trials, 3);
    EXPECT_EQ(gpu.plan("scale", problem).match().rung, Rung::none) << "not before refresh()";
    gpu.refresh();
    const Plan plan = gpu.plan("scale", problem);
    EXPECT_EQ(plan.match().rung, Rung::exact) << plan.match().why;
    EXPECT_EQ(plan.configuration(), *result.configuration);
  }
}

TEST_F(TuneInside, WhatIsKnownIsNotSearchedAgain) {
  Dispatcher gpu(options());
  TuneOptions chosen = briefly(Isolation::none);
  chosen.trials.reset();
  chosen.seconds.reset();
  const TuneResult first = tune(gpu, scale(), problem_, Effort::measure, chosen);
  EXPECT_TRUE(finishes(first.end));
  const TuneResult second = tune(gpu, scale(), {{"n", 2000}}, Effort::measure, chosen);  // T has a default
  EXPECT_EQ(second.end, Ending::known);
  EXPECT_EQ(second.configuration, first.configuration);
}

TEST_F(TuneInside, ACrashEndsItsOwnProcessAlone) {
  const std::string crashing = write("crash.cu", scale_text("  const long long first", R"(  if (ITEMS == 2) {
    volatile int* nowhere = nullptr;
    *nowhere = 1;
  }
  const long long first)"));
  Dispatcher gpu(options());
  TuneOptions chosen = briefly(Isolation::processes);
  chosen.trials.reset();
  chosen.patience.reset();
  chosen.strategy = "exhaustive";
  chosen.seconds = 60;
  const TuneResult result = tune(gpu, crashing, problem_, Effort::measure, chosen);
  ASSERT_TRUE(result.configuration) << result.explanation;
  EXPECT_EQ(result.configuration->at("ITEMS").integer(), 1);
  EXPECT_EQ(result.trials, 5) << "all were tried";
}

TEST_F(TuneInside, ListenersSeeEachTrialAndTheRecord) {
  const std::string flawed = write("flawed.cu", scale_text("T(3) *", "T(ITEMS == 2 ? 4 : 3) *"));
  Dispatcher gpu(options());
  std::vector<TuneTrial> trials;
  std::vector<TuneRecord> records;
  TuneOptions chosen = briefly(Isolation::none);
  chosen.trials.reset();
  chosen.patience.reset();
  chosen.strategy = "exhaustive";
  chosen.on_trial = [&](const TuneTrial& trial) { trials.push_back(trial); };
  chosen.on_record = [&](const TuneRecord& record) {
    EXPECT_EQ(WisdomStore(options().database).records("scale").size(), 1u) << "it is stored by then";
    records.push_back(record);
  };
  const TuneResult result = tune(gpu, flawed, problem_, Effort::measure, chosen);
  ASSERT_EQ(trials.size(), 5u);
  EXPECT_TRUE(trials.front().is_new_best);
  EXPECT_EQ(trials.front().best, trials.front().configuration);
  for (const TuneTrial& trial : trials) {
    const bool is_wrong = trial.configuration.at("ITEMS").integer() == 2;
    EXPECT_EQ(trial.verdict, is_wrong ? "wrong_result" : "ok");
    EXPECT_THAT(trial.detail, is_wrong ? HasSubstr("expected") : HasSubstr(""));
    EXPECT_EQ(trial.median_ns > 0, !is_wrong);
    EXPECT_GT(trial.default_ns, 0);
  }
  EXPECT_EQ(trials.back().trials, 5);
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].configuration, *result.configuration);
  EXPECT_EQ(records[0].median_ns, result.median_ns);
  EXPECT_LE(records[0].speedup_low, records[0].speedup);
  EXPECT_GE(records[0].speedup_high, records[0].speedup);
  tune(gpu, flawed, problem_, Effort::measure, chosen);
  EXPECT_EQ(records.size(), 1u) << "a known record is not stored again";
}

TEST_F(TuneInside, SeveralDevicesHaveOneSession) {
  Dispatcher gpu(options());
  TuneOptions chosen = briefly(Isolation::processes);
  chosen.devices = "host,benches=2";
  const TuneResult result = tune(gpu, scale(), problem_, Effort::measure, chosen);
  EXPECT_TRUE(result.configuration) << result.explanation;
  chosen.isolation = Isolation::none;
  EXPECT_THAT(message_of<UsageError>([&] { tune(gpu, scale(), problem_, Effort::measure, chosen); }),
              HasSubstr("needs a worker for each device"));
  chosen = briefly(Isolation::processes);
  chosen.devices = "host,benches=0";
  EXPECT_THAT(message_of<UsageError>([&] { tune(gpu, scale(), problem_, Effort::measure, chosen); }),
              HasSubstr("after `benches=`"));
}

TEST_F(TuneInside, UsesRegimeAndObjectiveOfTheDispatcher) {
  DispatcherOptions wished = options();
  wished.regime = "warm";
  wished.objective = "time * time";
  Dispatcher gpu(wished);
  gpu.add(kernel_file(scale()));
  tune(gpu, scale(), problem_, Effort::measure, briefly(Isolation::none));
  gpu.refresh();
  EXPECT_EQ(gpu.match("scale", problem_).rung, Rung::exact);
  const std::vector<Record> records = WisdomStore(wished.database).records("scale");
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].key.regime, "warm");
  EXPECT_EQ(records[0].key.objective, "time * time");
}

TEST_F(TuneInside, ASpecOfCppServesAsAFileDoes) {
  Dispatcher gpu(options());
  const KernelSpec spec = read_kernel_file(scale());
  gpu.add(kernel_bundle(spec, "scale"));
  EXPECT_TRUE(tune(gpu, spec, problem_, Effort::measure, briefly(Isolation::none)).configuration);
  gpu.refresh();
  EXPECT_EQ(gpu.match("scale", problem_).rung, Rung::exact);
}

TEST_F(TuneInside, AnEstimateMeasuresNothing) {
  Dispatcher gpu(options());
  const TuneResult result = tune(gpu, scale(), problem_, Effort::estimate);
  EXPECT_EQ(result.end, Ending::estimated);
  EXPECT_EQ(result.configuration->text(), "BLOCK=64 ITEMS=1");
  EXPECT_THAT(result.explanation, HasSubstr("no wisdom for scale"));
  EXPECT_FALSE(fs::exists(options().database));
}

TEST_F(TuneInside, StopsWhenAsked) {
  Dispatcher gpu(options());
  std::stop_source source;
  TuneOptions chosen = briefly(Isolation::none);
  chosen.trials.reset();
  chosen.patience.reset();
  chosen.stop = source.get_token();
  chosen.on_trial = [&](const TuneTrial&) { source.request_stop(); };
  const TuneResult result = tune(gpu, scale(), problem_, Effort::measure, chosen);
  EXPECT_EQ(result.end, Ending::interrupted);
  EXPECT_LT(result.trials, 5);
}

TEST_F(TuneInside, SaysWhyNothingSurvives) {
  const std::string wrong = write("wrong.cu", scale_text("T(3) *", "T(4) *"));
  Dispatcher gpu(options());
  const TuneResult result = tune(gpu, wrong, problem_, Effort::measure, briefly(Isolation::none));
  EXPECT_EQ(result.end, Ending::no_survivor);
  EXPECT_FALSE(result.configuration);
  EXPECT_THAT(result.explanation, HasSubstr("wrong_result"));
}

TEST_F(TuneInside, RefusesWhatCannotBe) {
  Dispatcher gpu(options());
  TuneOptions chosen = briefly(Isolation::processes);
  chosen.executable = folder_ / "absent";
  const auto refusal = [&](const Problem& problem) {
    return message_of<UsageError>([&] { tune(gpu, scale(), problem, Effort::measure, chosen); });
  };
  EXPECT_THAT(refusal(problem_), HasSubstr("absent cannot be run"));
  EXPECT_THAT(refusal({{"m", 1}}), HasSubstr("`m`"));
}

TEST(QuietSignal, ABrokenPipeIsAnErrorAndLeavesNoSignal) {
  struct sigaction usual {
  }, before{};
  usual.sa_handler = SIG_DFL;
  sigaction(SIGPIPE, &usual, &before);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  close(ends[0]);
  {
    const QuietSignal quiet(SIGPIPE);
    EXPECT_EQ(write(ends[1], "x", 1), -1);
    EXPECT_EQ(errno, EPIPE);
  }
  close(ends[1]);
  sigset_t pending;
  sigpending(&pending);
  EXPECT_EQ(sigismember(&pending, SIGPIPE), 0);
  sigaction(SIGPIPE, &before, nullptr);
}

}  // namespace
}  // namespace attune
