// Whole sessions on the host device: strategies that misbehave, stop rules, the warm start, resuming.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <mutex>
#include <set>

#include "attune/error.hpp"
#include "attune/strategy.hpp"
#include "device/device.hpp"
#include "kernel/problem.hpp"
#include "session/kernel_session.hpp"
#include "spec/kernel_file.hpp"
#include "subject/kernel_setup.hpp"
#include "support/on_device.hpp"

namespace attune {
namespace {

using testing::HasSubstr;

// Repeats the first configuration for ever.
class Stubborn final : public Strategy {
 public:
  explicit Stubborn(const SearchSpace& space) : row_(space.parameters().size()) { space.at(0, row_); }
  std::optional<Row> ask() override { return row_; }
  void tell(RowView, const Outcome&) override {}

 private:
  Row row_;
};

void register_strategies() {
  static std::once_flag once;
  std::call_once(once, [] {
    register_strategy({"stubborn", "", {}, [](const SearchSpace& space, std::uint64_t, const StrategyOptions&) {
                         return std::make_unique<Stubborn>(space);
                       }});
  });
}

class Watcher final : public Observer {
 public:
  void session_started(const SessionStart& given) override { start = given; }
  void trial_done(const Trial& trial, const Progress& progress) override {
    trials.push_back(trial.configuration.text());
    seconds_limit = progress.seconds_limit;
    if (on_trial) on_trial(trials.size());
  }
  SessionStart start;
  std::vector<std::string> trials;
  std::optional<double> seconds_limit;
  std::function<void(std::size_t)> on_trial;
};

class Session : public testing::Test {
 protected:
  Session() {
    register_strategies();
    request_.spec = load_kernel(ATTUNE_TEST_DATA "/kernels/scale.cu");
    request_.problem = problem("n=5000");
    request_.seed = 1;
    request_.compile_threads = 2;
    Protocol quick;
    quick.warm_up_ms = 1;
    quick.final_rounds_min = quick.final_rounds_max = 6;
    request_.protocol = quick;
  }
  static Device& device() {
    static const std::unique_ptr<Device> device = open_device("host");
    return *device;
  }
  Problem problem(const std::string& text) const { return parse_problem(request_.spec, text, "host"); }
  SessionResult run() {
    watcher_.trials.clear();
    return run_session(request_, device(), store_, nullptr, watcher_, stop_);
  }
  // A record of another problem or device.
  Record relative(const std::string& of, const Configuration& configuration) const {
    Record record;
    record.key.kernel = request_.spec.name;
    record.key.code = request_.spec.fingerprints.code;
    record.key.contract = request_.spec.fingerprints.contract;
    record.key.device_class = device().info().class_key();
    record.key.problem = problem(of);
    record.configuration = configuration;
    return record;
  }

  KernelRequest request_;
  WisdomStore store_{":memory:"};
  Watcher watcher_;
  std::atomic<int> stop_{0};
};

constexpr const char* default_text = "BLOCK=64 ITEMS=1";

TEST_F(Session, TriesTheDefaultThenWhatIsKnownThenTheRestEachOnce) {
  store_.put_record(relative("n=9000", {{"BLOCK", 32}, {"ITEMS", 2}}));
  store_.put_record(relative("n=5001", {{"BLOCK", 128}, {"ITEMS", 1}}));
  const SessionResult result = run();
  EXPECT_EQ(watcher_.start.warm_start, 2u);
  ASSERT_EQ(watcher_.trials.size(), 5u);
  EXPECT_EQ(watcher_.trials[0], default_text);
  EXPECT_EQ((std::set<std::string>{watcher_.trials.begin() + 1, watcher_.trials.begin() + 3}),
            (std::set<std::string>{"BLOCK=128 ITEMS=1", "BLOCK=32 ITEMS=2"}));
  EXPECT_EQ((std::set<std::string>{watcher_.trials.begin(), watcher_.trials.end()}).size(), 5u);
  EXPECT_EQ(result.end, Ending::everything_tried);
}

// What a time means does not depend on how short it is.
TEST_F(Session, EachRegimeMeansOneThingHoweverShortTheKernel) {
  request_.problem = problem("n=64");
  for (const Regime regime : regimes) {
    request_.regime = regime;
    const SessionResult result = run();
    ASSERT_TRUE(result.record) << result.explanation;
    EXPECT_EQ(result.survivors, 5);
    EXPECT_EQ(result.record->key.regime, to_text(regime));
    EXPECT_GT(result.record->median_ns, 0);
    if (regime == Regime::stream)
      EXPECT_GE(result.record->batch, 2);
    else
      EXPECT_EQ(result.record->batch, 1) << "one launch alone";
    const bool is_short = result.record->median_ns < 20e3;
    ASSERT_EQ(result.elsewhere.has_value(), is_short);
    if (!is_short) continue;
    EXPECT_EQ(result.elsewhere->regime, regime == Regime::stream ? Regime::cold : Regime::stream);
    EXPECT_GT(result.elsewhere->median_ns, 0);
  }
  EXPECT_EQ(store_.records().size(), 3u) << "each regime has its own";
}

// A session that a version before measured: all is measured anew, what it had found first.
TEST_F(Session, WhatWasMeasuredInAnEarlierWayIsAWarmStartAndNoMore) {
  request_.strategy = "random";
  const SessionResult before = run();
  ASSERT_TRUE(before.record);
  SessionKey key{before.record->key, request_.spec.fingerprints.space, request_.effort, "random"};
  SessionRow row = store_.find_session(key).value();
  const std::vector<Trial> trials = store_.trials(row.id);
  Record record = *before.record;
  record.configuration = trials.back().configuration;
  record.protocol = first_present_protocol - 1;
  row.protocol = first_present_protocol - 1;

  for (const SessionState state : {SessionState::partial, SessionState::finished}) {
    store_ = WisdomStore(":memory:");
    row.state = state;
    store_.add_trials(store_.begin_session(row, device().info()), trials);
    store_.put_record(record);
    const SessionResult result = run();
    EXPECT_TRUE(finishes(result.end));
    ASSERT_EQ(watcher_.trials.size(), 5u) << "all of them";
    EXPECT_EQ(watcher_.start.trials_before, 0);
    EXPECT_EQ(watcher_.start.warm_start, 1u);
    EXPECT_EQ(watcher_.trials[1], record.configuration.text());
    ASSERT_TRUE(result.record);
    EXPECT_NE(result.record->uuid, record.uuid);
    EXPECT_EQ(result.record->protocol, Protocol::version);
  }
}

TEST_F(Session, AKernelWhoseInputsAreRestoredHasNoStream) {
  request_.spec.arguments.front().role = Role::inout;
  request_.regime = Regime::stream;
  try {
    run();
    FAIL() << "it was tuned";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("no stream of launches"));
    EXPECT_THAT(error.what(), HasSubstr("--regime cold or warm"));
  }
  EXPECT_TRUE(store_.records().empty());
}

TEST_F(Session, ABatchRunsOverEverySetOfTheData) {
  test::OnDevice problem_on(device(), request_.spec, problem("n=64"), {{"BLOCK", 64}, {"ITEMS", 1}});
  const Status loaded = problem_on.load(1, {{"BLOCK", 32}, {"ITEMS", 2}});
  ASSERT_TRUE(loaded.ok()) << loaded.detail;
  const auto sample = [&](Regime regime, int batch) {
    const DeviceTimes samples = problem_on.runner().sample(1, {.count = 3, .regime = regime, .batch = batch});
    EXPECT_TRUE(samples.status.ok()) << samples.status.detail;
    EXPECT_EQ(samples.nanoseconds.size(), 3u);
  };
  sample(Regime::warm, 30);
  sample(Regime::stream, 1);
  sample(Regime::stream, 30);
  sample(Regime::stream, 300);
  Numerics numerics;
  const Status checked = problem_on.runner().check(1, numerics);
  EXPECT_TRUE(checked.ok()) << checked.detail << ": the data that are checked are not as they were";
}

TEST_F(Session, SetsOfDataAreApart) {
  const auto compile = [](const ImageRequest& request) { return device().compiler()->compile({&request, 1}).front(); };
  const std::unique_ptr<DataTools> tools = open_data_tools(device());
  ProblemData data(
      device(), *tools,
      trial_setup(request_.spec, problem("n=64"), {{"BLOCK", 64}, {"ITEMS", 1}}, device().info(), compile, 1));
  std::size_t array = 0;
  while (data.array(array) == nullptr) ++array;
  data.make_sets(1);
  EXPECT_EQ(data.sets(), 1u);
  data.make_sets(7);
  EXPECT_EQ(data.sets(), 7u);
  data.make_sets(3);
  EXPECT_EQ(data.sets(), 7u) << "what is there stays";
  std::set<void*> places;
  for (std::size_t i = 0; i < data.sets(); ++i) places.insert(data.array(array, i));
  EXPECT_EQ(places.size(), 7u);
}

TEST_F(Session, AColdStartTriesNothingFirst) {
  store_.put_record(relative("n=5001", {{"BLOCK", 128}, {"ITEMS", 1}}));
  request_.cold_start = true;
  run();
  EXPECT_EQ(watcher_.start.warm_start, 0u);
  EXPECT_EQ(watcher_.trials.size(), 5u);
}

TEST_F(Session, AStrategyThatRepeatsItselfIsAnErrorThatNamesItAndKeepsItsTrials) {
  request_.strategy = "stubborn";
  try {
    run();
    FAIL() << "ended";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("strategy `stubborn`"));
  }
  EXPECT_FALSE(watcher_.trials.empty());
  EXPECT_EQ(store_.known_trials(relative("n=5000", {}).key, request_.spec.fingerprints.space).size(),
            watcher_.trials.size());
  request_.limits.trials = 1;
  request_.fresh = true;
  EXPECT_EQ(run().reason, Ending::trials) << "before it repeats itself";
}

TEST_F(Session, ATargetFinishesAndALaterOneThatIsStricterGoesOnFromTheLog) {
  request_.seed.reset();
  request_.limits.target = parse_target("10s");
  const SessionResult easy = run();
  EXPECT_EQ(easy.end, Ending::target);
  EXPECT_EQ(watcher_.trials.size(), 1u);
  EXPECT_FALSE(easy.record.value().partial);
  EXPECT_EQ(run().end, Ending::known);
  request_.limits.target = parse_target("1ns");
  EXPECT_EQ(run().reason, Ending::everything_tried);
  EXPECT_EQ(watcher_.trials.size(), 5u);
}

TEST_F(Session, ATargetIsComparedWithTheDefault) {
  request_.limits.target = parse_target("0.01x");
  EXPECT_EQ(run().reason, Ending::target);
  EXPECT_EQ(watcher_.trials.size(), 1u) << "the default is more than a hundredth as fast as itself";
}

TEST_F(Session, WhatALimitCutShortIsPartialAndGoesOn) {
  request_.limits.trials = 2;
  const SessionResult first = run();
  EXPECT_EQ(first.end, Ending::trials);
  EXPECT_TRUE(first.record.value().partial);
  request_.limits = {};
  const SessionResult second = run();
  EXPECT_EQ(watcher_.start.trials_before, 2);
  EXPECT_EQ(second.reason, Ending::everything_tried);
  EXPECT_FALSE(second.record.value().partial);
}

constexpr const char* off_by_an_eighth = R"cuda(/*attune
[kernel]
name = "off"
summary = "y = 1, about"
[problem]
n = { size = 64, host = 64 }
[parameters]
OFF = [0, 1, 2]
[[launch]]
entry = "off<OFF>"
grid = ["1"]
block = ["64"]
arguments = ["y"]
[arguments]
y = { type = "float", size = "n", role = "out" }
[[reference]]
entry = "off<0>"
grid = ["1"]
block = ["64"]
arguments = ["y"]
[check]
absolute = "0.1"
*/
template <int OFF> __global__ void off(float* y) { y[threadIdx.x] = 1 + OFF * 0.125f; }
)cuda";

TEST_F(Session, WhatFailedACheckIsTriedAgainWhenTheSessionGoesOnWithACorrectedOne) {
  std::string text = off_by_an_eighth;
  request_.spec = read_kernel_text(text, "off.cu");
  request_.problem = problem("");
  request_.strategy = "exhaustive";
  request_.limits.trials = 2;
  run();
  const auto verdicts = [&] {
    std::map<std::string, Verdict> found;
    for (const Trial& trial : store_.trials(1)) found[trial.configuration.text()] = trial.verdict;
    return found;
  };
  EXPECT_EQ(verdicts()["OFF=1"], Verdict::wrong_result);
  text.replace(text.find("0.1"), 3, "0.5");
  request_.spec = read_kernel_text(text, "off.cu");
  request_.limits = {};
  run();
  EXPECT_EQ(verdicts()["OFF=1"], Verdict::ok);
  EXPECT_THAT(watcher_.trials, testing::UnorderedElementsAre("OFF=1", "OFF=2"));
}

TEST_F(Session, ALimitReachedWithTheLastConfigurationFinishes) {
  request_.limits.trials = 5;
  EXPECT_EQ(run().reason, Ending::everything_tried);
}

TEST_F(Session, ATimeLimitThatIsOverAtOnceReturnsTheDefault) {
  request_.limits.seconds = 1e-6;
  const SessionResult result = run();
  EXPECT_EQ(result.end, Ending::time);
  EXPECT_EQ(watcher_.trials, std::vector<std::string>{default_text});
  EXPECT_EQ(result.record.value().configuration.text(), default_text);
}

TEST_F(Session, AnInterruptIsNamedAndBeginsNoFurtherTrial) {
  std::ifstream in(ATTUNE_TEST_DATA "/kernels/scale.cu");
  std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  std::string blocks = "BLOCK = [64, 32, 128";
  for (int threads = 1; threads <= 60; ++threads)
    if (threads != 32) blocks += ", " + std::to_string(threads);
  text.replace(text.find("BLOCK = [64, 32, 128"), 20, blocks);
  request_.spec = read_kernel_text(text, "scale.cu");
  request_.strategy = "exhaustive";
  watcher_.on_trial = [this](std::size_t trials) { stop_ = trials >= 2; };
  for (const unsigned depth : {1u, 2u, 4u}) {
    stop_ = 0;
    request_.depth = depth;
    request_.fresh = true;
    const SessionResult result = run();
    EXPECT_EQ(result.reason, Ending::interrupted);
    EXPECT_EQ(result.end, Ending::interrupted);
    EXPECT_GE(watcher_.trials.size(), 2u);
    constexpr std::size_t of_one_commit = 20;
    EXPECT_LE(watcher_.trials.size(), of_one_commit + depth) << "those whose attempts had begun by then end";
  }
}

TEST_F(Session, TheTextOfTheStrategyIsCanonical) {
  request_.limits.trials = 1;
  request_.strategy = "random:";
  run();
  EXPECT_EQ(watcher_.start.strategy, "random");
}

TEST_F(Session, EffortsThatDoNotSearchAreRefused) {
  request_.effort = Effort::estimate;
  EXPECT_THROW(run(), UsageError);
}

TEST_F(Session, TheEffortsBudgetIsShownWithoutALimit) {
  request_.effort = Effort::patient;
  request_.limits.patience = 1;
  const SessionResult result = run();
  EXPECT_EQ(watcher_.seconds_limit, effort_plan(Effort::patient).budget.seconds);
  EXPECT_EQ(result.record.value().effort, Effort::patient);
}

}  // namespace
}  // namespace attune
