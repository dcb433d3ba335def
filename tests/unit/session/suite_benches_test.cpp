// Suites on several benches: in virtual time, where makespans are exact, and on threads at the same time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <set>

#include "attune/error.hpp"
#include "device/replay/replay_kernel.hpp"
#include "session/suite.hpp"
#include "subject/kernel_subject.hpp"
#include "support/bowl.hpp"
#include "support/message_of.hpp"
#include "worker/device_server.hpp"
#include "worker/direct_transport.hpp"
#include "worker/recording_runner.hpp"
#include "worker/workers.hpp"

namespace attune {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::size_t kernels = 3;

// Launches take all of the time: what is compiled once costs no second bench anything.
Recording recording_of(std::size_t kernel, double factor) {
  Recording recording = bowl();
  recording.kernel = "bowl_" + std::to_string(kernel);
  for (RecordedTrial& trial : recording.trials) {
    trial.compile_s = trial.framework_s = trial.search_s = trial.validation_s = 0;
    trial.launches_s *= factor;
    trial.median_ns *= factor;
    for (double& sample : trial.samples_ns) sample *= factor;
  }
  return recording;
}

// A device on which each problem has a recording of its own. They share one clock.
class ManyRecordings final : public Testbed, private Instruments {
 public:
  ManyRecordings(const std::map<std::string, Recording>& recordings, bool paced) : paced_(paced) {
    for (const auto& [problem, recording] : recordings)
      replays_[problem] = std::make_shared<Replay>(recording, ReplayOptions{.paced = paced});
  }
  const DeviceInfo& info() const noexcept override { return replays_.begin()->second->info(); }
  Instruments& instruments() noexcept override { return *this; }
  std::unique_ptr<Runner> begin(const TrialSetup& setup, const std::function<void()>& reference_begins) override {
    return recording_testbed(replays_.at(setup.problem))->begin(setup, reference_begins);
  }
  bool has_own_clock() const noexcept override { return !paced_; }
  double seconds() const override {
    if (paced_) return Instruments::seconds();
    double seconds = 0;
    for (const auto& [problem, replay] : replays_) seconds += replay->seconds();
    return seconds;
  }

 private:
  const bool paced_;
  std::map<std::string, std::shared_ptr<Replay>> replays_;
};

// Workers of one bench in this process. A test may change the answers of its device worker.
class ChangedWorkers final : public Workers {
 public:
  using Change = std::function<void(const Job&, Reply&)>;
  ChangedWorkers(const std::map<std::string, Recording>& recordings, bool paced, Change change)
      : local_([&recordings, paced] { return std::make_unique<ManyRecordings>(recordings, paced); },
               [compiler = make_replay_compiler(recordings.begin()->second)] { return compiler; }),
        make_server_([&recordings, paced] {
          return std::make_shared<DeviceServer>(std::make_unique<ManyRecordings>(recordings, paced));
        }),
        change_(std::move(change)) {}
  std::unique_ptr<Transport> device_worker(LaneId) override {
    return std::make_unique<DirectTransport>([change = change_, server = make_server_()](const Job& job) {
      Reply reply = server->answer(job);
      if (change) change(job, reply);
      return reply;
    });
  }
  std::unique_ptr<Transport> compile_worker(const DeviceInfo& info) override { return local_.compile_worker(info); }

 private:
  LocalWorkers local_;
  const std::function<std::shared_ptr<DeviceServer>()> make_server_;
  const Change change_;
};

// What is seen, in a suite that promises to tell one event at a time.
class Seen final : public SuiteObserver, private Observer {
 public:
  Observer& session(std::size_t) override { return told(), *this; }
  void problem_done(std::size_t problem, const SessionResult&) override { told(), done.insert(problem); }
  std::set<std::size_t> done;
  std::vector<std::string> notes;
  std::function<void()> on_trial;

 private:
  void trial_done(const Trial&, const Progress&) override {
    told();
    if (on_trial) on_trial();
  }
  void note(const std::string& text) override { told(), notes.push_back(text); }
  void told() {
    ++events_;  // without a lock: a thread sanitizer finds two at a time
  }
  std::size_t events_ = 0;
};

class SuiteOnBenches : public testing::Test {
 protected:
  SuiteOnBenches() {
    char name[] = "/tmp/attune-suite-XXXXXX";
    folder_ = mkdtemp(name);
    request_.strategy = "random";
    request_.seed = 3;
    request_.compile_threads = 2;
  }
  ~SuiteOnBenches() override { std::filesystem::remove_all(folder_); }

  // A problem of one of three kernels, whose trials take `factor` times as long as those of the bowl.
  void add(double factor) {
    const std::size_t number = problems_++;
    const Recording recording = recording_of(number % kernels, factor);
    KernelSpec spec = replay_kernel(recording);
    spec.problem.push_back({"n", ProblemKind::size, {}, {}, {}});
    Problem problem;
    problem.set("n", static_cast<std::int64_t>(number));
    recordings_[problem.text()] = recording;
    specs_.push_back({std::move(spec), std::move(problem)});
  }

  SuiteResult run(std::size_t count, bool paced = false) {
    struct Bench {
      std::unique_ptr<Workers> workers;
      std::unique_ptr<Pool> pool;
      std::unique_ptr<WisdomStore> store;
    };
    std::vector<Bench> own;
    std::vector<SuiteBench> benches;
    const std::filesystem::path file = folder_ / ("wisdom" + std::to_string(runs_++) + ".db");
    for (std::size_t i = 0; i < count; ++i) {
      Bench& bench = own.emplace_back();
      bench.workers = std::make_unique<ChangedWorkers>(
          recordings_, paced,
          change_ ? [this, i](const Job& job, Reply& reply) { change_(i, job, reply); } : ChangedWorkers::Change());
      bench.pool = std::make_unique<Pool>(*bench.workers);
      if (i == 0 || paced) bench.store = std::make_unique<WisdomStore>(paced ? file : ":memory:");
    }
    // In virtual time, visits come one after the other.
    for (Bench& bench : own) benches.push_back({*bench.pool, paced ? *bench.store : *own[0].store});
    std::vector<std::unique_ptr<KernelSubject>> subjects;
    std::vector<const Subject*> list;
    for (const auto& [spec, problem] : specs_) {
      subjects.push_back(std::make_unique<KernelSubject>(spec, problem, own[0].pool->device().info));
      list.push_back(subjects.back().get());
    }
    return run_suite(request_, list, benches, nullptr, seen_, stop_);
  }

  void expect_all_tuned(const SuiteResult& result) const {
    ASSERT_EQ(result.problems.size(), problems_);
    for (const SessionResult& one : result.problems) {
      ASSERT_TRUE(one.record) << one.explanation;
      EXPECT_EQ(one.record->configuration.text(), "TILE=32 ROWS=4 ORDER=rows");
    }
    EXPECT_EQ(seen_.done.size(), problems_);
  }

  std::filesystem::path folder_;
  std::size_t problems_ = 0, runs_ = 0;
  std::map<std::string, Recording> recordings_;  // by problem
  std::vector<std::pair<KernelSpec, Problem>> specs_;
  SessionRequest request_;
  Seen seen_;
  std::atomic<int> stop_{0};
  std::function<void(std::size_t bench, const Job&, Reply&)> change_;
};

// Sixteen problems of three kernels, of which the longest takes nine times as long as the shortest.
constexpr std::array<double, 16> unequal = {1, 3, 0.5, 2, 4, 1, 1.5, 0.75, 2.5, 1, 4.5, 0.5, 3, 2, 1, 3.5};

TEST_F(SuiteOnBenches, SixteenUnequalProblemsOfThreeKernelsTakeTheirShareOfOnesTime) {
  for (const double factor : unequal) add(30 * factor);
  for (const Effort effort : {Effort::exhaustive, Effort::measure}) {
    request_.effort = effort;
    const double one = run(1).wall_seconds;
    for (const std::size_t benches : {2, 4}) {
      seen_.done.clear();
      const SuiteResult result = run(benches);
      if (effort == Effort::exhaustive) expect_all_tuned(result);
      const double efficiency = one / static_cast<double>(benches) / result.wall_seconds;
      EXPECT_GE(efficiency, 0.9) << benches << " benches, effort " << to_text(effort) << ": " << result.wall_seconds
                                 << " s, one: " << one << " s";
      RecordProperty(std::string(to_text(effort)) + std::to_string(benches), std::to_string(efficiency));
    }
  }
}

TEST_F(SuiteOnBenches, TakesTheSameVirtualTimeTwice) {
  for (const double factor : {1.0, 3.0, 0.5, 2.0, 1.5}) add(factor);
  request_.effort = Effort::exhaustive;
  const double first = run(2).wall_seconds;
  EXPECT_DOUBLE_EQ(run(2).wall_seconds, first);
}

TEST_F(SuiteOnBenches, ALimitOfTimeIsOneOfTheWall) {
  for (int i = 0; i < 4; ++i) add(100);
  request_.limits.seconds = 40;
  const SuiteResult result = run(2);
  double searched = 0;
  for (const SessionResult& one : result.problems) searched += one.seconds;
  EXPECT_GT(searched, 60) << "of the 80 that two benches have";
  EXPECT_LT(searched, 105) << "each problem's last trial goes beyond its slice";
}

// With fewer problems than benches, and where a problem soon leaves its time to the other.
TEST_F(SuiteOnBenches, ALimitOfTimeHoldsWhereBenchesHaveNoProblem) {
  add(100);
  add(1);
  add(100);
  request_.limits.seconds = 20;
  const SuiteResult result = run(4);
  for (const std::size_t at : {0, 2}) {
    EXPECT_GT(result.problems[at].seconds, 14);
    EXPECT_LT(result.problems[at].seconds, 28) << "the last trial goes beyond the limit";
  }
  EXPECT_EQ(result.problems[1].reason, Ending::everything_tried);
}

// By how many jobs it has done: while it makes data, in a search, and in a final stage.
TEST_F(SuiteOnBenches, OneThatIsLostLeavesItsProblemsToTheOthers) {
  for (int i = 0; i < 4; ++i) add(0.02);
  request_.effort = Effort::exhaustive;
  for (const bool paced : {false, true}) {
    for (const int jobs : paced ? std::vector{40} : std::vector{1, 2, 3, 20, 60, 120, 170}) {
      seen_.done.clear();
      seen_.notes.clear();
      int done = 0;
      change_ = [&](std::size_t bench, const Job&, Reply&) {
        if (bench == 1 && ++done > jobs) throw Error("the board fell off the bus");
      };
      const SuiteResult result = run(2, paced);
      expect_all_tuned(result);
      EXPECT_THAT(seen_.notes,
                  ElementsAre(HasSubstr("has no part in the session from here: the board fell off the bus")))
          << "after " << jobs << " jobs";
    }
  }
}

TEST_F(SuiteOnBenches, OfWhichTheLastIsLostEndWithItsError) {
  for (int i = 0; i < 6; ++i) add(1);
  change_ = [](std::size_t, const Job& job, Reply&) {
    if (!std::holds_alternative<OpenDevice>(job)) throw Error("the driver is gone");
  };
  EXPECT_EQ(message_of<Error>([&] { run(2); }), "the driver is gone");
  EXPECT_LT(seen_.done.size(), 6u);
}

TEST_F(SuiteOnBenches, OneThatFailsEveryJobTakesNoProblemFromTheOthers) {
  for (int i = 0; i < 4; ++i) add(1);
  request_.effort = Effort::exhaustive;
  for (const Failure::Kind kind : {Failure::Kind::error, Failure::Kind::out_of_memory}) {
    seen_.done.clear();
    change_ = [&](std::size_t bench, const Job& job, Reply& reply) {
      if (bench == 0 && !std::holds_alternative<OpenDevice>(job)) reply.answer = Failure{kind, "no room for 3 bytes"};
    };
    expect_all_tuned(run(3));
    EXPECT_THAT(seen_.notes, Each(HasSubstr("leaves this problem to the other devices: no room for 3 bytes")));
  }
}

// A problem that fails by itself costs no bench; one that takes benches along costs one.
TEST_F(SuiteOnBenches, AProblemThatFailsOnAllLeavesTheOthers) {
  for (int i = 0; i < 5; ++i) add(1);
  request_.effort = Effort::exhaustive;
  const std::string bad = specs_[1].second.text();
  for (const bool kills : {false, true}) {
    seen_.notes.clear();
    change_ = [&](std::size_t, const Job& job, Reply& reply) {
      const auto* const begin = std::get_if<Begin>(&job);
      if (begin == nullptr || begin->setup.problem != bad) return;
      if (kills) throw Error("the worker is gone");
      reply.answer = Failure{Failure::Kind::out_of_memory, "no room"};
    };
    const SuiteResult result = run(3);
    for (std::size_t i = 0; i < problems_; ++i)
      EXPECT_EQ(result.problems[i].record.has_value(), i != 1) << result.problems[i].explanation;
    EXPECT_EQ(result.problems[1].explanation, kills ? "the worker is gone" : "no room");
    EXPECT_EQ(std::ranges::count_if(seen_.notes, [](const auto& one) { return one.find("has no part") != one.npos; }),
              kills);
  }
}

// Launches of a millisecond, by the machine's clock.
TEST_F(SuiteOnBenches, BenchesWorkAtTheSameTime) {
  for (int i = 0; i < 6; ++i) add(0.1 * (1 + i % 3));
  request_.effort = Effort::exhaustive;
  const SuiteResult result = run(3, true);
  expect_all_tuned(result);
  EXPECT_GT(result.compiled, 0);
  EXPECT_LE(result.compiled, 3 * 43) << "images are shared, but benches may compile one at the same time";
}

TEST_F(SuiteOnBenches, AnInterruptKeepsTheBestOfEach) {
  for (int i = 0; i < 5; ++i) add(0.1);
  request_.effort = Effort::exhaustive;
  std::size_t trials = 0;
  seen_.on_trial = [&] {
    if (++trials == 60) stop_ = 1;
  };
  const SuiteResult result = run(2, true);
  EXPECT_TRUE(result.interrupted);
  for (const SessionResult& one : result.problems) EXPECT_TRUE(one.record || one.run_trials == 0) << one.explanation;
  EXPECT_GE(std::ranges::count(result.problems, Ending::interrupted, &SessionResult::end), 1);
}

TEST_F(SuiteOnBenches, TheFirstErrorOfAVisitEndsAll) {
  add(1);
  LocalWorkers workers([this] { return std::make_unique<ManyRecordings>(recordings_, true); }, [] { return nullptr; });
  Pool first(workers), second(workers);
  WisdomStore store(":memory:");
  const std::array benches = {SuiteBench{first, store}, SuiteBench{second, store}};
  SuiteBenches threads(benches, 100);
  std::vector<std::size_t> order(100);
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::atomic<int> visits = 0;
  threads.run_each(order, [&](std::size_t, const SuiteBench&) { ++visits; });
  EXPECT_EQ(visits, 100);
  visits = 0;
  EXPECT_EQ(message_of<Error>([&] {
              threads.run_each(order, [&](std::size_t problem, const SuiteBench&) {
                ++visits;
                if (problem == 10) throw Error("the eleventh");
              });
            }),
            "the eleventh");
  EXPECT_LE(visits, 100);
}

}  // namespace
}  // namespace attune
