// Replays, and whole sessions on them: tests/data/recordings/bowl.json, 42 configurations whose optimum is
// TILE=32 ROWS=4 ORDER=rows; each took about 1.2 s to try.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>

#include "attune/error.hpp"
#include "attune/strategy.hpp"
#include "db/wisdom_store.hpp"
#include "device/replay/recording_identity.hpp"
#include "kernel/instantiate.hpp"
#include "kernel/problem.hpp"
#include "recordings/recording_file.hpp"
#include "session/kernel_session.hpp"
#include "support/bowl.hpp"
#include "support/replay_pool.hpp"
#include "worker/compile_server.hpp"
#include "worker/direct_transport.hpp"
#include "worker/recording_runner.hpp"

namespace attune {
namespace {

using testing::HasSubstr;

class Trials final : public Observer {
 public:
  void trial_done(const Trial& trial, const Progress& progress) override {
    trials.push_back(trial);
    seconds = progress.seconds;
  }
  std::vector<Trial> trials;
  double seconds = 0;
  std::string text() const {
    std::string text;
    for (const Trial& trial : trials)
      text += trial.configuration.text() + " " + std::string(to_text(trial.verdict)) + " " +
              std::to_string(trial.measurement.median_ns) + "\n";
    return text;
  }
};

struct Finished {
  SessionResult result;
  Trials seen;
  double device_seconds = 0;
};

Finished run_on(const Recording& recording, KernelRequest request, ReplayOptions options = {}) {
  ReplayPool on(recording, options);
  WisdomStore store(":memory:");
  const std::atomic<int> stop{0};
  Finished run;
  request.compile_threads = 1;
  run.result = run_session(request, on.pool, store, nullptr, run.seen, stop);
  run.device_seconds = on.replay->seconds();
  return run;
}

KernelRequest request_for(const Recording& recording, const std::string& strategy = "exhaustive") {
  KernelRequest request;
  request.spec = replay_kernel(recording);
  request.effort = Effort::exhaustive;
  request.strategy = strategy;
  request.seed = 7;
  return request;
}

// A record of a busy or unstable device wins no ties, but it takes part to the end: whoever wins replaces it.
TEST(ReplaySession, ADoubtfulRecordOfMoreEffortIsReplacedByWhatIsFaster) {
  const Recording recording = bowl();
  ReplayPool on(recording);
  WisdomStore store(":memory:");
  Observer observer;
  const std::atomic<int> stop{0};
  KernelRequest request = request_for(recording);
  const SessionResult first = run_session(request, on.pool, store, nullptr, observer, stop);
  Record doubtful = first.record.value();
  const Configuration best = doubtful.configuration;
  doubtful.uuid = "another";
  doubtful.unstable = true;
  doubtful.configuration = first.finalists.at(1).configuration;
  ASSERT_NE(doubtful.configuration, best);
  store.put_record(doubtful, first.record->uuid, first.finalists);
  ASSERT_EQ(store.find_record(doubtful.key)->configuration, doubtful.configuration);
  request.effort = Effort::measure;
  request.fresh = true;
  const SessionResult second = run_session(request, on.pool, store, nullptr, observer, stop);
  EXPECT_EQ(second.record->configuration, best);
  EXPECT_EQ(second.record->effort, Effort::exhaustive) << "which the search for the other one had spent";
  EXPECT_FALSE(second.record->unstable);
}

TEST(ReplaySession, ASearchThatIsCutShortLeavesACompleteRecord) {
  const Recording recording = bowl();
  ReplayPool on(recording);
  WisdomStore store(":memory:");
  Observer observer;
  const std::atomic<int> stop{0};
  KernelRequest request = request_for(recording);
  const SessionResult first = run_session(request, on.pool, store, nullptr, observer, stop);
  request.fresh = true;
  request.limits.trials = 1;
  const SessionResult second = run_session(request, on.pool, store, nullptr, observer, stop);
  EXPECT_EQ(second.end, Ending::trials);
  EXPECT_TRUE(second.record_stands);
  EXPECT_EQ(second.record->uuid, first.record->uuid);
  EXPECT_EQ(second.record->trials, 42);
  EXPECT_FALSE(second.record->partial);
}

TEST(ReplaySession, FindsTheRecordedOptimum) {
  const Recording recording = bowl();
  const Finished run = run_on(recording, request_for(recording));
  ASSERT_TRUE(run.result.record) << run.result.explanation;
  EXPECT_EQ(run.result.record->configuration.text(), "TILE=32 ROWS=4 ORDER=rows");
  EXPECT_NEAR(run.result.record->median_ns, 1e6, 0.02e6);
  EXPECT_EQ(run.result.trials, 42);
  EXPECT_EQ(run.seen.trials.size(), 42u);
}

// One image is compiled only once all else was tried: a session that waits for it never ends.
class OneIsLast final : public Compiler {
 public:
  OneIsLast(std::shared_ptr<Compiler> compiler, std::string expression)
      : compiler_(std::move(compiler)), expression_(std::move(expression)) {}
  std::vector<CompileOutcome> compile(std::span<const ImageRequest> requests) override {
    if (requests.front().expressions.front() == expression_) {
      std::unique_lock lock(mutex_);
      in_time = changed_.wait_for(lock, std::chrono::seconds(60), [this] { return tried_ == all - 1; });
    }
    return compiler_->compile(requests);
  }
  void one_more_tried() {
    const std::lock_guard lock(mutex_);
    ++tried_;
    changed_.notify_all();
  }
  std::size_t preferred_batch() const noexcept override { return 1; }
  std::string toolchain() override { return compiler_->toolchain(); }
  bool disturbs_timing() const noexcept override { return false; }

  static constexpr int all = 42;
  std::atomic<bool> in_time{false};

 private:
  const std::shared_ptr<Compiler> compiler_;
  const std::string expression_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int tried_ = 0;
};

TEST(ReplaySession, WhatIsCompiledIsTriedWhileAnotherCompiles) {
  class CompilerOfOurs final : public Workers {
   public:
    CompilerOfOurs(std::shared_ptr<Replay> replay, std::shared_ptr<Compiler> compiler)
        : local_(std::move(replay)), compiler_(std::move(compiler)) {}
    std::unique_ptr<Transport> device_worker(LaneId lane) override { return local_.device_worker(lane); }
    std::unique_ptr<Transport> compile_worker(const DeviceInfo&) override {
      const auto server = std::make_shared<CompileServer>(compiler_);
      return std::make_unique<DirectTransport>([server](const Job& job) { return server->answer(job); });
    }

   private:
    LocalWorkers local_;
    const std::shared_ptr<Compiler> compiler_;
  };
  class Counted final : public Observer {
   public:
    explicit Counted(OneIsLast& compiler) : compiler_(compiler) {}
    void trial_done(const Trial& trial, const Progress&) override {
      last = trial.configuration.text();
      compiler_.one_more_tried();
    }
    std::string last;

   private:
    OneIsLast& compiler_;
  };
  const Recording recording = bowl();
  KernelRequest request = request_for(recording);
  request.compile_threads = 2;
  const auto replay = std::make_shared<Replay>(recording);
  const Configuration slow{{"TILE", 8}, {"ROWS", 2}, {"ORDER", "rows"}};
  const auto compiler = std::make_shared<OneIsLast>(
      make_replay_compiler(recording),
      image_request(request.spec, request.spec.launch, Problem{}, &slow, replay->info()).expressions.front());
  CompilerOfOurs workers(replay, compiler);
  Pool pool(workers);
  Counted counted(*compiler);
  WisdomStore store(":memory:");
  const std::atomic<int> stop{0};
  const SessionResult result = run_session(request, pool, store, nullptr, counted, stop);
  EXPECT_TRUE(compiler->in_time);
  EXPECT_EQ(counted.last, slow.text());
  EXPECT_EQ(result.trials, OneIsLast::all);
}

// Proposes the space in order, and fails at the tenth question.
class Failing final : public Strategy {
 public:
  explicit Failing(const SearchSpace& space) : space_(space) {}
  std::optional<Row> ask() override {
    if (++asked_ == 10) throw Error("this strategy fails");
    Row row(space_.parameters().size());
    space_.at(asked_, row);
    return row;
  }
  void tell(RowView, const Outcome&) override {}

 private:
  const SearchSpace& space_;
  std::uint64_t asked_ = 0;
};

TEST(ReplaySession, AStrategyThatFailsTakesNoVerdictAlong) {
  register_strategy({"failing", "", {}, [](const SearchSpace& space, std::uint64_t, const StrategyOptions&) {
                       return std::make_unique<Failing>(space);
                     }});
  const Recording recording = bowl();
  ReplayPool on(recording);
  KernelRequest request = request_for(recording, "failing");
  request.compile_threads = 1;
  WisdomStore store(":memory:");
  Trials seen;
  const std::atomic<int> stop{0};
  EXPECT_THROW(run_session(request, on.pool, store, nullptr, seen, stop), Error);
  EXPECT_GE(seen.trials.size(), 5u);
  EXPECT_EQ(store.trials(1).size(), seen.trials.size());
  EXPECT_TRUE(store.open_attempts(1).empty());  // of the trial that it failed beside
}

TEST(ReplaySession, FailuresAreLoggedAsRecorded) {
  const Recording recording = bowl();
  const Finished run = run_on(recording, request_for(recording));
  std::map<Verdict, int> counts;
  for (const Trial& trial : run.seen.trials) {
    ++counts[trial.verdict];
    EXPECT_EQ(trial.detail, trial.verdict == Verdict::compile_error  ? "CompilationFailedConfig"
                            : trial.verdict == Verdict::launch_error ? "RuntimeFailedConfig"
                                                                     : "");
    EXPECT_GE(trial.compile_ms, 800);
  }
  EXPECT_EQ(counts,
            (std::map<Verdict, int>{{Verdict::ok, 38}, {Verdict::compile_error, 2}, {Verdict::launch_error, 2}}));
}

TEST(ReplaySession, EveryKindOfFailureIsToldAndTheFirstConfigurationMayFail) {
  Recording recording = bowl();
  const Verdict verdicts[] = {Verdict::compile_error, Verdict::restricted, Verdict::resources,   Verdict::launch_error,
                              Verdict::timeout,       Verdict::fault,      Verdict::wrong_result};
  for (std::size_t i = 0; i < std::size(verdicts); ++i) {
    recording.trials[i].verdict = verdicts[i];
    recording.trials[i].detail = "as recorded";
  }
  const Finished run = run_on(recording, request_for(recording));
  ASSERT_TRUE(run.result.record) << run.result.explanation;
  EXPECT_EQ(run.result.record->configuration.text(), "TILE=32 ROWS=4 ORDER=rows");
  const SearchSpace space = space_of(recording);
  for (const Trial& trial : run.seen.trials) {
    const auto row = space.row_of(trial.configuration);
    const auto recorded = std::find_if(recording.trials.begin(), recording.trials.end(),
                                       [&](const RecordedTrial& each) { return each.row == *row; });
    ASSERT_NE(recorded, recording.trials.end());
    EXPECT_EQ(trial.verdict, recorded->verdict) << to_text(trial.verdict);
  }
}

TEST(ReplaySession, HalfAnHourPassesAtOnce) {
  Recording recording = bowl();
  for (RecordedTrial& trial : recording.trials) trial.compile_s = 60;
  KernelRequest request = request_for(recording);
  request.limits.seconds = 1800;
  const auto begin = std::chrono::steady_clock::now();
  const Finished run = run_on(recording, request);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  EXPECT_EQ(run.result.end, Ending::time);
  EXPECT_GE(run.seen.seconds, 1800);
  EXPECT_LT(run.seen.seconds, 1800 + 2 * 61);
  EXPECT_NEAR(static_cast<double>(run.seen.trials.size()), 30, 2);
  EXPECT_LT(took.count(), 20) << "waits for what it should only count";
}

TEST(ReplaySession, OneSeedIsOneSequence) {
  const Recording recording = bowl();
  KernelRequest request = request_for(recording, "random");
  request.limits.trials = 20;
  const std::string first = run_on(recording, request, {true, 3}).seen.text();
  EXPECT_EQ(run_on(recording, request, {true, 3}).seen.text(), first);
  EXPECT_NE(run_on(recording, request, {true, 4}).seen.text(), first) << "noise ignores its seed";
  request.seed = 8;
  EXPECT_NE(run_on(recording, request, {true, 3}).seen.text(), first) << "the strategy ignores its seed";
}

TEST(ReplaySession, NarrowedParametersLeaveTheRowsThatHaveThem) {
  const Recording recording = bowl();
  KernelRequest request = request_for(recording);
  request.spec = narrow(std::move(request.spec), "ORDER=columns ROWS=1,2");
  const Finished run = run_on(recording, request);
  ASSERT_TRUE(run.result.record) << run.result.explanation;
  EXPECT_EQ(run.result.trials, 13) << "and the kernel's own default, which was left out";
  EXPECT_TRUE(run.result.record->narrowed);
  EXPECT_GT(run.result.record->default_ns, run.result.record->median_ns);
  EXPECT_EQ(run.result.record->configuration.text(), "TILE=32 ROWS=2 ORDER=columns");
}

class Replays : public testing::Test {
 protected:
  Recording recording_ = bowl();
  const std::string first_ = configuration_of(recording_, recording_.trials[0]).text();
};

TEST_F(Replays, ChargeAConfigurationOnceAndEverySampleItsTime) {
  Replay replay(recording_);
  EXPECT_EQ(replay.seconds(), 0);
  const std::size_t found = replay.find(first_).value();
  ASSERT_EQ(found, 0u);
  const RecordedTrial& trial = recording_.trials[0];
  ASSERT_TRUE(replay.load(found).ok());
  const double overhead = trial.compile_s + trial.framework_s + trial.search_s + trial.validation_s;
  EXPECT_DOUBLE_EQ(replay.seconds(), overhead);
  ASSERT_TRUE(replay.load(found).ok());
  EXPECT_DOUBLE_EQ(replay.seconds(), overhead);
  double expected = overhead;
  for (std::size_t i = 0; i < 2 * trial.samples_ns.size(); ++i) {
    const SingleTime sample = replay.sample(found, 1);
    EXPECT_EQ(sample.nanoseconds, trial.samples_ns[i % trial.samples_ns.size()]) << "in turn";
    expected += sample.nanoseconds * 1e-9;
    EXPECT_DOUBLE_EQ(replay.seconds(), expected);
  }
  ASSERT_TRUE(replay.launch(found).ok());
  EXPECT_DOUBLE_EQ(replay.seconds(), expected + trial.median_ns * 1e-9);
}

TEST_F(Replays, WithoutSamplesGiveTheMedian) {
  recording_.trials[0].samples_ns.clear();
  Replay replay(recording_, {true, 1});
  EXPECT_EQ(replay.sample(0, 1).nanoseconds, recording_.trials[0].median_ns);
}

TEST_F(Replays, HaveNoTrialOfAnotherConfiguration) {
  EXPECT_FALSE(Replay(recording_).find("TILE=3"));
  const std::unique_ptr<Testbed> testbed = recording_testbed(std::make_shared<Replay>(recording_));
  const std::unique_ptr<Runner> runner = testbed->begin({}, {});
  InstanceLaunch launch;
  launch.configuration = "TILE=3";
  EXPECT_EQ(runner->load(launch).verdict, Verdict::load_error);
  EXPECT_THROW(runner->has_scratch(launch.instance), Error) << "it is not loaded";
}

// A runner loads by the configuration's text alone: an instance of a recording has no image.
TEST_F(Replays, RunWithoutImages) {
  const auto replay = std::make_shared<Replay>(recording_);
  const std::unique_ptr<Testbed> testbed = recording_testbed(replay);
  EXPECT_EQ(testbed->info().kind, "replay");
  EXPECT_TRUE(testbed->instruments().has_own_clock());
  int begun = 0;
  const std::unique_ptr<Runner> runner = testbed->begin({}, [&] { ++begun; });
  EXPECT_EQ(begun, 1);
  InstanceLaunch launch;
  launch.instance = 5;
  launch.configuration = first_;
  ASSERT_TRUE(runner->load(launch).ok());
  Numerics numerics;
  ASSERT_TRUE(runner->check(5, numerics).ok());
  const double before = replay->seconds();
  const std::vector<InstanceId> slots{5, 5, 5};
  const DeviceTimes samples = runner->sample_in_turn(slots, {.regime = Regime::warm, .batch = 4});
  ASSERT_EQ(samples.nanoseconds.size(), 3u);
  double all = 0;
  for (const double nanoseconds : samples.nanoseconds) all += nanoseconds * 1e-9 * 4;
  EXPECT_NEAR(replay->seconds() - before, all, 1e-9 * all) << "four launches each";
  EXPECT_THROW(runner->sample_in_turn(std::vector<InstanceId>{device_copy}, {}), Error);
}

TEST_F(Replays, OfConfigurationsThatReadAlikeAreRefused) {
  Recording recording;
  recording.source = "alike.json";
  recording.kernel = "k";
  recording.parameters = {{"A", {"1, 2", "1"}}, {"B", {"3", "2, 3"}}};
  recording.trials.resize(2);
  recording.trials[0].row = {0, 0};
  recording.trials[1].row = {1, 1};
  try {
    make_replay_compiler(recording);
    ADD_FAILURE() << "made";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("are equal in C++"));
  }
}

}  // namespace
}  // namespace attune
