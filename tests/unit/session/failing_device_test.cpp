// Sessions whose device worker answers otherwise: what is kept when it fails, and when a stop is heeded.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "attune/error.hpp"
#include "db/recording_file.hpp"
#include "db/wisdom_store.hpp"
#include "device/replay/replay_device.hpp"
#include "session/session.hpp"
#include "worker/device_server.hpp"
#include "worker/direct_transport.hpp"
#include "worker/workers.hpp"

namespace attune {
namespace {

// A device worker in this process whose answers a test may replace.
class ChangedWorkers final : public Workers {
 public:
  using Change = std::function<void(const Job&, Reply&)>;
  ChangedWorkers(Device& device, Change change) : local_(device), device_(device), change_(std::move(change)) {}
  std::unique_ptr<Transport> device_worker() override {
    const auto server = std::make_shared<DeviceServer>(device_);
    return std::make_unique<DirectTransport>([this, server](const Job& job) {
      Reply reply = server->answer(job);
      change_(job, reply);
      return reply;
    });
  }
  std::unique_ptr<Transport> compile_worker(const DeviceInfo& info) override { return local_.compile_worker(info); }

 private:
  LocalWorkers local_;
  Device& device_;
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
  }
  SessionResult run(WisdomStore& store, ChangedWorkers::Change change) {
    const std::unique_ptr<Device> device = make_replay_device(recording_, {});
    ChangedWorkers workers(*device, std::move(change));
    Pool pool(workers);
    Observer observer;
    return run_session(request_, pool, store, nullptr, observer, stop_);
  }
  Recording recording_;
  SessionRequest request_;
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
  EXPECT_EQ(result.end, SessionResult::End::interrupted);
  EXPECT_GE(confirming, 2);
  EXPECT_LE(confirming, 3) << "the job that was under way, and none of 26 more";
}

}  // namespace
}  // namespace attune
