// Sessions with two benches: each has a device worker of its own, whose answers and speed a test chooses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <set>
#include <thread>

#include "attune/error.hpp"
#include "db/wisdom_store.hpp"
#include "device/replay/replay_kernel.hpp"
#include "session/kernel_session.hpp"
#include "subject/recording_subject.hpp"
#include "support/bowl.hpp"
#include "worker/device_server.hpp"
#include "worker/direct_transport.hpp"
#include "worker/recording_runner.hpp"

namespace attune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Two device workers in this process, on one recording.
class TwoWorkers final : public Workers {
 public:
  LaneId device_workers() const override { return 2; }
  std::unique_ptr<Transport> device_worker(LaneId lane) override {
    const auto server = std::make_shared<DeviceServer>(recording_testbed(std::make_shared<Replay>(bowl())));
    return std::make_unique<DirectTransport>([this, server, lane](const Job& job) {
      std::this_thread::sleep_for(delays.at(lane));
      Reply reply = server->answer(job);
      if (change) change(lane, job, reply);
      if (const auto* const tried = std::get_if<Try>(&job)) {
        const std::lock_guard lock(mutex);
        tries.at(lane).insert(tried->launch.configuration);
      }
      return reply;
    });
  }
  std::unique_ptr<Transport> compile_worker(const DeviceInfo&) override { throw Error("a recording compiles nothing"); }

  std::array<std::chrono::microseconds, 2> delays{};
  std::function<void(LaneId, const Job&, Reply&)> change;
  std::mutex mutex;
  std::array<std::set<std::string>, 2> tries;  // configurations, by lane
};

class Seen final : public Observer {
 public:
  void trial_done(const Trial& trial, const Progress&) override {
    trials += trial.configuration.text() + " " + std::to_string(trial.measurement.median_ns) + " " +
              std::to_string(trial.anchor_ns) + "\n";
  }
  void note(const std::string& text) override { notes.push_back(text); }
  std::string trials;
  std::vector<std::string> notes;
};

class TwoBenches : public testing::Test {
 protected:
  SessionResult run(TwoWorkers& workers, Seen& seen, const std::string& strategy = "random",
                    const std::string& objectives = "time") {
    Pool pool(workers);
    SessionRequest request;
    request.objectives = Objectives(objectives);
    request.effort = Effort::exhaustive;
    request.strategy = strategy;
    request.seed = 3;
    request.compile_threads = 1;
    const RecordingSubject subject(recording_, replay_kernel(recording_), pool.device().info);
    WisdomStore store(":memory:");
    return run_session(request, subject, pool, store, nullptr, seen, stop_);
  }
  const Recording recording_ = bowl();
  const std::atomic<int> stop_{0};
};

TEST_F(TwoBenches, ShareTheTrialsOfOneSession) {
  TwoWorkers workers;
  Seen seen;
  const SessionResult result = run(workers, seen);
  ASSERT_TRUE(result.record) << result.explanation;
  EXPECT_EQ(result.record->configuration.text(), "TILE=32 ROWS=4 ORDER=rows");
  EXPECT_EQ(result.trials, 42);
  EXPECT_EQ(result.survivors, 38);
  for (const std::set<std::string>& tries : workers.tries) EXPECT_GT(tries.size(), 5u);
  std::set<std::string> all = workers.tries[0];
  all.insert(workers.tries[1].begin(), workers.tries[1].end());
  EXPECT_EQ(all.size(), workers.tries[0].size() + workers.tries[1].size()) << "each is tried once";
  EXPECT_EQ(all.size(), 41u) << "all but the anchor";
  EXPECT_THAT(seen.notes, IsEmpty());
}

// What a strategy knows at each question depends on what was sent before it, not on which bench is faster.
TEST_F(TwoBenches, ProposeTheSameWhicheverIsSlow) {
  for (const char* const strategy : {"random", "genetic", "auto"}) {
    std::array<Seen, 2> seen;
    for (std::size_t slow = 0; slow < 2; ++slow) {
      TwoWorkers workers;
      workers.delays.at(slow) = std::chrono::microseconds(1500);
      run(workers, seen.at(slow), strategy);
    }
    EXPECT_EQ(seen[0].trials, seen[1].trials) << strategy;
  }
}

// What is best by a further objective is told by ratios too, or the slow bench would lose all of its trials.
TEST_F(TwoBenches, ChooseTheSameFinalistsWhicheverIsSlowByItsOwnClock) {
  std::array<std::set<std::string>, 3> finalists;
  for (std::size_t slow = 0; slow < 3; ++slow) {
    TwoWorkers workers;
    workers.change = [slow](LaneId lane, const Job&, Reply& reply) {
      if (lane != slow) return;
      if (auto* const tried = std::get_if<TryAnswer>(&reply.answer))
        for (double& sample : tried->samples_ns) sample *= 2;
      if (auto* const rounds = std::get_if<RoundsAnswer>(&reply.answer))
        for (double& sample : rounds->samples_ns) sample *= 2;
    };
    Seen seen;
    for (const FinalistResult& finalist : run(workers, seen, "random", "time,time * time").finalists)
      finalists.at(slow).insert(finalist.configuration.text());
  }
  EXPECT_GE(finalists[2].size(), 8u);
  EXPECT_EQ(finalists[0], finalists[2]);
  EXPECT_EQ(finalists[1], finalists[2]);
}

TEST_F(TwoBenches, OneWhereTheAnchorFailsHasNoPart) {
  TwoWorkers workers;
  workers.change = [](LaneId lane, const Job& job, Reply& reply) {
    if (lane == 1 && std::holds_alternative<Load>(job))
      reply.answer = TryAnswer{{Verdict::wrong_result, "as the test says", false}, {}, {}, 0};
  };
  Seen seen;
  const SessionResult result = run(workers, seen);
  ASSERT_TRUE(result.record) << result.explanation;
  EXPECT_EQ(result.survivors, 38);
  EXPECT_THAT(workers.tries[1], IsEmpty());
  EXPECT_THAT(seen.notes,
              ElementsAre(HasSubstr("has no part in the session from here: the anchor fails there (wrong_result")));
}

TEST_F(TwoBenches, OneWithoutRoomForTheDataHasNoPart) {
  TwoWorkers workers;
  workers.change = [](LaneId lane, const Job& job, Reply& reply) {
    if (lane == 1 && std::holds_alternative<Begin>(job))
      reply.answer = Failure{Failure::Kind::out_of_memory, "no room for 3 bytes"};
  };
  Seen seen;
  EXPECT_EQ(run(workers, seen).survivors, 38);
  EXPECT_THAT(seen.notes, ElementsAre(HasSubstr("has no part in the session from here: no room for 3 bytes")));
}

}  // namespace
}  // namespace attune
