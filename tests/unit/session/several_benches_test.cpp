// Sessions with several benches, on a recording that each of them plays by a clock of its own: how busy the benches
// are, and what becomes of the trials of one that is lost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "attune/error.hpp"
#include "db/wisdom_store.hpp"
#include "device/replay/replay_kernel.hpp"
#include "recordings/recording_file.hpp"
#include "session/kernel_session.hpp"
#include "subject/recording_subject.hpp"
#include "support/bowl.hpp"
#include "worker/device_server.hpp"
#include "worker/direct_transport.hpp"
#include "worker/recording_runner.hpp"

namespace attune {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::SizeIs;

// So many device workers in this process, on one recording.
class ReplayBenches final : public Workers {
 public:
  ReplayBenches(std::size_t count, Recording recording, ReplayOptions options = {})
      : tries(count), slow(count, 1), recording_(std::move(recording)), options_(options) {}
  LaneId device_workers() const override { return tries.size(); }
  std::unique_ptr<Transport> device_worker(LaneId lane) override {
    ReplayOptions options = options_;
    options.bench = static_cast<int>(lane) + 1;
    Recording own = recording_;
    if (of_lane) of_lane(lane, own);
    const auto replay = std::make_shared<Replay>(std::move(own), options);
    const auto server = std::make_shared<DeviceServer>(recording_testbed(replay));
    return std::make_unique<DirectTransport>([this, server, replay, lane](const Job& job) {
      const double begin = replay->seconds();
      Reply reply = server->answer(job);
      const std::lock_guard lock(mutex_);
      added_[lane] += (replay->seconds() - begin) * (slow[lane] - 1);
      reply.seconds += added_[lane];
      if (const auto* const tried = std::get_if<Try>(&job)) {
        tries[lane].push_back(tried->launch.configuration);
      }
      if (change) change(lane, job, reply);
      return reply;
    });
  }
  std::unique_ptr<Transport> compile_worker(const DeviceInfo&) override { throw Error("a recording compiles nothing"); }

  std::function<void(LaneId, Recording&)> of_lane;  // changes what a bench plays
  std::function<void(LaneId, const Job&, Reply&)> change;
  std::vector<std::vector<std::string>> tries;  // configurations, by lane
  std::vector<double> slow;                     // how many times as long a job takes, by lane

 private:
  const Recording recording_;
  const ReplayOptions options_;
  std::mutex mutex_;
  std::map<LaneId, double> added_;
};

class SeenTrials final : public Observer {
 public:
  void trial_done(const Trial& trial, const Progress&) override {
    trials.push_back(trial.configuration.text() + " " + std::string(to_text(trial.verdict)));
  }
  void note(const std::string& text) override { notes.push_back(text); }
  void final_started(std::size_t) override { is_final = true; }
  std::vector<std::string> trials, notes;
  std::atomic<bool> is_final = false;  // the final stage takes its rounds
};

constexpr std::int64_t busy_trials = 2000;

class SeveralBenches : public testing::Test {
 protected:
  SessionResult run(ReplayBenches& workers, const Recording& recording, std::int64_t trials = 0,
                    const std::string& strategy = "random") {
    Pool pool(workers);
    SessionRequest request;
    request.effort = Effort::exhaustive;
    request.strategy = strategy;
    request.seed = 3;
    request.compile_threads = 2;
    if (trials > 0) request.limits.trials = trials;
    const RecordingSubject subject(recording, replay_kernel(recording), pool.device().info);
    WisdomStore store(":memory:");
    seen_.trials.clear();
    seen_.notes.clear();
    seen_.is_final = false;
    return run_session(request, subject, pool, store, nullptr, seen_, stop_);
  }
  SeenTrials seen_;
  const std::atomic<int> stop_{0};
};

// Against one bench that makes the same trials: seconds of the search by the recording's clocks, anchors included.
TEST_F(SeveralBenches, AreBusyWhateverTheTrialsTake) {
  const Recording recording = load_recordings(ATTUNE_TEST_DATA "/recorded/pnpoly_RTX_3090.json.xz").at(0);
  ReplayBenches alone(1, recording);
  const double ideal = run(alone, recording, busy_trials).seconds;
  std::vector<std::vector<std::vector<std::string>>> tries;
  for (const double slow : {1.0, 1.0, 2.0}) {
    ReplayBenches workers(8, recording);
    workers.slow[3] = slow;
    const SessionResult result = run(workers, recording, busy_trials);
    ASSERT_TRUE(result.record) << result.explanation;
    const double share = ideal / (7 + 1 / slow) / result.seconds;
    std::printf("8 benches, %s, one %g times as slow: %.3f of the ideal rate\n", recording.kernel.c_str(), slow, share);
    EXPECT_GE(share, 0.95);
    if (slow > 1) {
      EXPECT_LT(workers.tries[3].size(), 0.7 * static_cast<double>(workers.tries[4].size()));
    }
    tries.push_back(workers.tries);
  }
  EXPECT_EQ(tries[0], tries[1]) << "each bench tries the same in every run";
}

TEST_F(SeveralBenches, OneThatIsLostGivesItsTrialsToTheOthers) {
  for (const LaneId lost : {0u, 1u}) {
    ReplayBenches workers(3, bowl());
    workers.change = [lost, tried = 0](LaneId lane, const Job& job, Reply&) mutable {
      if (lane == lost && std::holds_alternative<Try>(job) && ++tried == 3) throw Error("lost, as the test says");
    };
    const SessionResult result = run(workers, bowl());
    ASSERT_TRUE(result.record) << result.explanation;
    EXPECT_EQ(result.record->configuration.text(), "TILE=32 ROWS=4 ORDER=rows");
    EXPECT_EQ(result.survivors, 38) << "no configuration is blamed";
    EXPECT_THAT(seen_.trials, SizeIs(42));
    EXPECT_THAT(workers.tries[lost], SizeIs(testing::Le(4))) << "one may have been on its way";
    EXPECT_THAT(seen_.notes, Contains(HasSubstr("has no part in the session from here: lost, as the test says")));
  }
}

TEST_F(SeveralBenches, WhatTakesASecondOneAlongHasThatAsItsVerdict) {
  const std::string killer = "TILE=8 ROWS=2 ORDER=rows";
  ReplayBenches workers(3, bowl());
  workers.change = [&](LaneId, const Job& job, Reply&) {
    if (const auto* const tried = std::get_if<Try>(&job); tried != nullptr && tried->launch.configuration == killer)
      throw Error("lost, as the test says");
  };
  const SessionResult result = run(workers, bowl());
  ASSERT_TRUE(result.record) << result.explanation;
  EXPECT_EQ(result.survivors, 37);
  EXPECT_EQ(result.trials, 42);
  EXPECT_THAT(seen_.trials, Contains(killer + " fault"));
  EXPECT_THAT(seen_.notes, SizeIs(2)) << "each bench that left";
}

TEST_F(SeveralBenches, TheLastOneThatIsLostEndsTheSession) {
  ReplayBenches workers(2, bowl());
  workers.change = [tried = 0](LaneId, const Job& job, Reply&) mutable {
    if (std::holds_alternative<Try>(job) && ++tried > 9) throw Error("lost, as the test says");
  };
  EXPECT_THROW(run(workers, bowl()), Error);
  EXPECT_GE(seen_.trials.size(), 9u) << "what was tried is kept";
}

// Confirming samples groups of configurations on whichever bench is free, beside a copy of the best there.
TEST_F(SeveralBenches, ConfirmOnEachOfThemAndFindWhatOneFinds) {
  const Recording recording = load_recordings(ATTUNE_TEST_DATA "/recorded/pnpoly_RTX_3090.json.xz").at(0);
  std::map<std::size_t, double> best_ns;
  std::map<std::size_t, std::map<LaneId, int>> loads;
  for (const std::size_t count : {1u, 4u}) {
    ReplayBenches workers(count, recording);
    workers.change = [&](LaneId lane, const Job& job, Reply&) {
      loads[count][lane] += std::holds_alternative<Load>(job);
    };
    const SessionResult result = run(workers, recording, 400);
    ASSERT_TRUE(result.record) << result.explanation;
    best_ns[count] = result.record->median_ns;
  }
  EXPECT_NEAR(best_ns[4] / best_ns[1], 1, 0.01);
  ASSERT_GT(loads[1][0], 80);
  for (const LaneId lane : {1u, 2u, 3u}) EXPECT_GT(loads[4][lane], loads[1][0] / 8) << lane;
}

// The group that a bench had when it was lost is visited by another.
TEST_F(SeveralBenches, OneThatIsLostWhileItConfirmsGivesItsGroupBack) {
  const Recording recording = load_recordings(ATTUNE_TEST_DATA "/recorded/pnpoly_RTX_3090.json.xz").at(0);
  ReplayBenches workers(3, recording);
  workers.change = [loads = 0](LaneId lane, const Job& job, Reply&) mutable {
    if (lane == 1 && std::holds_alternative<Load>(job) && ++loads == 9) throw Error("lost, as the test says");
  };
  const SessionResult result = run(workers, recording, 400);
  ASSERT_TRUE(result.record) << result.explanation;
  EXPECT_FALSE(result.finalists.empty());
  EXPECT_THAT(seen_.notes, testing::ElementsAre(HasSubstr("has no part in the session from here: lost")));
}

// The best of the bowl, and what comes after it: here 2 % later.
const std::string best_of_bowl = "TILE=32 ROWS=4 ORDER=rows", second_of_bowl = "TILE=32 ROWS=4 ORDER=columns";

void slow_down(const std::string& configuration, double factor, Recording& recording) {
  const SearchSpace space = space_of(recording);
  for (RecordedTrial& trial : recording.trials) {
    if (space.configuration(trial.row).text() != configuration) continue;
    trial.median_ns *= factor;
    for (double& sample : trial.samples_ns) sample *= factor;
  }
}

Recording close_bowl() {
  Recording recording = bowl();
  slow_down(second_of_bowl, 1.02 * 1.002 / 1.1523, recording);
  return recording;
}

std::int64_t rounds_of(const std::vector<BoardResult>& boards) {
  std::int64_t rounds = 0;
  for (const BoardResult& board : boards) rounds += board.rounds;
  return rounds;
}

// A board that is slower by itself takes fewer rounds, and differs in nothing.
TEST_F(SeveralBenches, CompareTheBestSideBySideAndEachHasItsFiguresInTheRecord) {
  ReplayBenches workers(3, bowl(), {.noise = true});
  workers.slow[2] = 3;
  workers.of_lane = [](LaneId lane, Recording& recording) {
    for (RecordedTrial& trial : recording.trials)
      for (double& sample : trial.samples_ns) sample *= lane == 2 ? 1.25 : 1;
  };
  const SessionResult result = run(workers, bowl());
  ASSERT_TRUE(result.record) << result.explanation;
  const Record& record = *result.record;
  EXPECT_EQ(record.configuration.text(), best_of_bowl);
  EXPECT_FALSE(record.boards_differ);
  EXPECT_FALSE(record.unstable);
  EXPECT_EQ(record.device_uuid, "bench-1");
  ASSERT_THAT(record.boards, SizeIs(3));
  EXPECT_EQ(record.boards[2].uuid, "bench-3");
  EXPECT_LT(record.boards[2].rounds, record.boards[0].rounds);
  EXPECT_EQ(rounds_of(record.boards), record.rounds);
  EXPECT_NEAR(record.boards[2].median_ns / record.boards[0].median_ns, 1.25, 0.03);
  for (const BoardResult& board : record.boards) EXPECT_NEAR(board.speedup / record.speedup, 1, 0.03) << board.uuid;
  EXPECT_NEAR(record.anchor_ratio, 1, 0.03);
}

TEST_F(SeveralBenches, MakeTheSameRecordTwice) {
  std::vector<Record> records;
  for (int i = 0; i < 2; ++i) {
    ReplayBenches workers(4, bowl(), {.noise = true});
    workers.slow[1] = 1.5;
    records.push_back(run(workers, bowl()).record.value());
  }
  EXPECT_EQ(records[0].boards, records[1].boards);
  EXPECT_EQ(records[0].median_ns, records[1].median_ns);
  EXPECT_EQ(records[0].speedup_low, records[1].speedup_low);
  EXPECT_EQ(records[0].speedup_high, records[1].speedup_high);
  EXPECT_EQ(records[0].rounds, records[1].rounds);
}

// On one bench the best loses 3 % to the second, elsewhere the second loses 2 % to the best.
TEST_F(SeveralBenches, OfWhichOneHasItsOwnRankingSaySoAndTakeTheBestWorstCase) {
  for (const bool differs : {false, true}) {
    ReplayBenches workers(2, close_bowl(), {.noise = true});
    workers.of_lane = [&](LaneId lane, Recording& recording) {
      if (differs && lane == 1) slow_down(best_of_bowl, 1.05, recording);
    };
    const SessionResult result = run(workers, close_bowl());
    ASSERT_TRUE(result.record) << result.explanation;
    EXPECT_EQ(result.record->boards_differ, differs);
    EXPECT_EQ(result.record->configuration.text(), differs ? second_of_bowl : best_of_bowl);
    EXPECT_THAT(result.record->boards, SizeIs(2));
  }
}

TEST_F(SeveralBenches, OneThatIsLostInTheFinalStageLeavesItToTheOthers) {
  for (const LaneId lost : {0u, 1u}) {
    ReplayBenches workers(3, bowl(), {.noise = true});
    workers.change = [&, rounds = 0](LaneId lane, const Job& job, Reply&) mutable {
      if (seen_.is_final && lane == lost && std::holds_alternative<Rounds>(job) && ++rounds == 12)
        throw Error("lost, as the test says");
    };
    const SessionResult result = run(workers, bowl());
    ASSERT_TRUE(result.record) << result.explanation;
    EXPECT_EQ(result.record->configuration.text(), best_of_bowl);
    EXPECT_THAT(seen_.notes, testing::ElementsAre(HasSubstr("has no part in the session from here: lost")));
    ASSERT_THAT(result.record->boards, SizeIs(3)) << "its rounds so far count";
    EXPECT_GT(result.record->boards[2].rounds, result.record->boards[lost].rounds);
    EXPECT_EQ(result.record->device_uuid, result.record->boards.front().uuid);
  }
}

TEST_F(SeveralBenches, AllOfWhichAreLostInTheFinalStageEndTheSession) {
  ReplayBenches workers(2, bowl());
  workers.change = [&](LaneId, const Job& job, Reply&) {
    if (seen_.is_final && std::holds_alternative<Rounds>(job)) throw Error("lost, as the test says");
  };
  EXPECT_THROW(run(workers, bowl()), Error);
  EXPECT_THAT(seen_.trials, SizeIs(42)) << "what was tried is kept";
}

// A contender has to pass its check on each bench.
TEST_F(SeveralBenches, OnOneOfWhichTheBestFailsDoNotTakeIt) {
  ReplayBenches workers(2, close_bowl());
  InstanceId best = 0;
  workers.change = [&](LaneId lane, const Job& job, Reply& reply) {
    if (lane != 1) return;
    if (const auto* const load = std::get_if<Load>(&job); load != nullptr && load->launch.configuration == best_of_bowl)
      best = load->launch.instance;
    const auto* const check = std::get_if<CheckAgain>(&job);
    if (seen_.is_final && check != nullptr && check->instance == best)
      reply.answer = CheckAnswer{{Verdict::wrong_result, "as the test says"}, {}, {}};
  };
  const SessionResult result = run(workers, close_bowl());
  ASSERT_TRUE(result.record) << result.explanation;
  EXPECT_NE(result.record->configuration.text(), best_of_bowl);
  EXPECT_THAT(seen_.trials, Contains(best_of_bowl + " wrong_result"));
}

}  // namespace
}  // namespace attune
