// Sessions whose device worker answers otherwise: what is kept when it fails, and when a stop is heeded.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "attune/error.hpp"
#include "db/wisdom_store.hpp"
#include "device/replay/replay_kernel.hpp"
#include "recordings/recording_file.hpp"
#include "session/kernel_session.hpp"
#include "worker/device_server.hpp"
#include "worker/direct_transport.hpp"
#include "worker/recording_runner.hpp"
#include "worker/workers.hpp"

namespace attune {
namespace {

// A device worker in this process whose answers a test may replace.
class ChangedWorkers final : public Workers {
 public:
  using Change = std::function<void(const Job&, Reply&)>;
  ChangedWorkers(std::shared_ptr<Replay> replay, Change change)
      : local_(replay), replay_(std::move(replay)), change_(std::move(change)) {}
  std::unique_ptr<Transport> device_worker(LaneId) override {
    const auto server = std::make_shared<DeviceServer>(recording_testbed(replay_));
    return std::make_unique<DirectTransport>([this, server](const Job& job) {
      Reply reply = server->answer(job);
      change_(job, reply);
      return reply;
    });
  }
  std::unique_ptr<Transport> compile_worker(const DeviceInfo& info) override { return local_.compile_worker(info); }

 private:
  LocalWorkers local_;
  const std::shared_ptr<Replay> replay_;
  const Change change_;
};

class FailingDevice : public testing::Test {
 protected:
  FailingDevice() : recording_(load_recordings(ATTUNE_TEST_DATA "/recordings/bowl.json").at(0)) {
    request_.spec = replay_kernel(recording_);
    request_.effort = Effort::exhaustive;
    request_.strategy = "exhaustive";
    request_.seed = 7;
    request_.compile_threads = 1;
    request_.spec.reference.clear();
  }
  SessionResult run(
      WisdomStore& store, ChangedWorkers::Change change = [](const Job&, Reply&) {}) {
    ChangedWorkers workers(std::make_shared<Replay>(recording_), std::move(change));
    Pool pool(workers);
    Observer observer;
    return run_session(request_, pool, store, nullptr, observer, stop_);
  }
  Recording recording_;
  KernelRequest request_;
  std::atomic<int> stop_{0};
  int loads_ = 0;
};

// Of the trials that the device measured, as many verdicts are durable, whatever comes after.
TEST_F(FailingDevice, KeepsEveryVerdictBeforeAFailureOfSeveralJobs) {
  for (const int fails_from : {5, 6, 7, 8, 17, 18, 19}) {
    WisdomStore store(":memory:");
    int done = 0, jobs = 0;
    EXPECT_THROW(run(store,
                     [&](const Job& job, Reply& reply) {
                       if (!std::holds_alternative<Try>(job) && !std::holds_alternative<Rounds>(job)) return;
                       if (++jobs > fails_from) {
                         reply.answer = Failure{Failure::Kind::out_of_memory, "no memory is left"};
                       } else {
                         done += std::holds_alternative<Try>(job);
                       }
                     }),
                 OutOfMemory);
    int measured = 0;
    for (const Trial& trial : store.trials(1)) measured += trial.measurement.median_ns > 0 || trial.worker > 0;
    EXPECT_EQ(measured, done + 1) << fails_from;  // and the default
  }
}

// Whoever reads the log learns the same of each failure: how it was launched, how often, when, and how far it was off.
void expect_failure(const Trial& trial, Verdict verdict, int attempts) {
  EXPECT_EQ(trial.verdict, verdict);
  EXPECT_FALSE(trial.detail.empty());
  EXPECT_EQ(trial.attempts, attempts);
  EXPECT_FALSE(trial.shapes.empty());
  EXPECT_TRUE(trial.self_checked) << "there is no reference";
  EXPECT_GT(trial.made_ms, 0);
  EXPECT_TRUE(trial.measurement.samples_ns.empty());
  EXPECT_EQ(trial.anchor_ns, 0) << "nothing was timed that counts";
}

Status wrong() { return {Verdict::wrong_result, "as the test says", false}; }

TEST_F(FailingDevice, AFinalistThatFailsNowKeepsNoTimesAndHasTheDifferencesOfItsFailure) {
  for (const bool when_loaded : {false, true}) {
    WisdomStore store(":memory:");
    bool has_failed = false;
    int checks = 0, loads = 0;
    run(store, [&](const Job& job, Reply& reply) {
      // The first load and check are the default's.
      const bool is_second = when_loaded ? std::holds_alternative<Load>(job) && ++loads == 2
                                         : std::holds_alternative<CheckAgain>(job) && ++checks == 2;
      if (!is_second) return;
      has_failed = true;
      if (when_loaded)
        reply.answer = TryAnswer{wrong(), {0.25, 0.5, 7}, {}, 0};
      else
        reply.answer = CheckAnswer{wrong(), {0.25, 0.5, 7}, {}};
    });
    ASSERT_TRUE(has_failed);
    const std::vector<Trial> trials = store.trials(1);
    const auto failed = std::find_if(trials.begin(), trials.end(),
                                     [](const Trial& one) { return one.verdict == Verdict::wrong_result; });
    ASSERT_NE(failed, trials.end());
    expect_failure(*failed, Verdict::wrong_result, 1);
    EXPECT_EQ(failed->worker, 1);
    EXPECT_EQ(failed->numerics.max_absolute, 0.25);
  }
}

TEST_F(FailingDevice, ADefaultThatFailsAfterItsSamplesHasTheDifferencesOfItsFailure) {
  WisdomStore store(":memory:");
  int checks = 0;
  run(store, [&](const Job& job, Reply& reply) {
    if (std::holds_alternative<CheckAgain>(job) && ++checks == 1) reply.answer = CheckAnswer{wrong(), {0.25, 0, 0}, {}};
  });
  const Trial first = store.trials(1).at(0);
  expect_failure(first, Verdict::wrong_result, 1);
  EXPECT_EQ(first.numerics.max_absolute, 0.25);
}

TEST_F(FailingDevice, WhatIsLeftAloneIsDescribedAsOtherFailuresAre) {
  const Configuration suspect{{"TILE", 64}, {"ROWS", 4}, {"ORDER", "rows"}};
  Trial killer;
  killer.configuration = {{"TILE", 64}, {"ROWS", 4}, {"ORDER", "columns"}};
  killer.verdict = Verdict::fault;
  killer.deaths = 2;
  WisdomStore store(":memory:");
  request_.limits.trials = 5;
  run(store);
  store.add_trial(1, killer);
  request_.strategy = "random";
  run(store);
  for (int begun = 1; begun <= 4; ++begun) store.begin_attempts(2, {suspect}, begun > 1);
  request_.limits.trials.reset();
  run(store);
  std::map<std::string, Trial> trials;
  for (Trial& trial : store.trials(2)) trials.emplace(trial.configuration.text(), trial);
  ASSERT_EQ(trials.size(), 42u);
  expect_failure(trials.at(killer.configuration.text()), Verdict::quarantined, 1);
  expect_failure(trials.at(suspect.text()), Verdict::quarantined, 4);
}

TEST_F(FailingDevice, AStopEndsConfirmingAfterTheSamplesThatAreUnderWay) {
  for (RecordedTrial& trial : recording_.trials) {  // near each other, and one sample is a job
    trial.median_ns += 25e6;
    for (double& sample : trial.samples_ns) sample += 25e6;
  }
  int confirming = 0;
  bool confirms = false;
  WisdomStore store(":memory:");
  const SessionResult result = run(store, [&](const Job& job, Reply&) {
    // Confirming begins when a second instance is loaded. After a stop the next Load is of a finalist.
    if (std::holds_alternative<Load>(job)) confirms = ++loads_ > 1 && stop_ == 0;
    if (std::holds_alternative<Rounds>(job) && confirms && ++confirming == 2) stop_ = 1;
  });
  EXPECT_EQ(result.end, Ending::interrupted);
  EXPECT_GE(confirming, 2);
  EXPECT_LE(confirming, 3) << "the job that was under way, and none of 26 more";
}

}  // namespace
}  // namespace attune
