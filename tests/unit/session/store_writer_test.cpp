// Verdicts and attempts are written by a thread of their own: what is sent waits for its own attempt alone.
#include "session/store_writer.hpp"

#include <SQLiteCpp/Database.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <future>
#include <optional>
#include <thread>
#include <vector>

#include "attune/error.hpp"
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

TEST(StoreWriter, DoesWritesInOrderAndThoseThatArePendingAtItsEnd) {
  WisdomStore store(":memory:");
  std::vector<int> written;
  std::promise<void> goes_on;
  {
    StoreWriter writer(store);
    EXPECT_EQ(writer.push([&](WisdomStore&) {
      goes_on.get_future().wait();
      written.push_back(1);
    }),
              1u);
    EXPECT_EQ(writer.push([&](WisdomStore&) { written.push_back(2); }), 2u);
    EXPECT_EQ(writer.done(), 0u) << "nobody waits";
    goes_on.set_value();
    writer.wait_for(2);
    EXPECT_EQ(writer.done(), 2u);
    writer.push([&](WisdomStore&) { written.push_back(3); });
  }
  EXPECT_THAT(written, ElementsAre(1, 2, 3));
}

TEST(StoreWriter, DropsWhatIsPendingBehindAFailureAndTellsItOnce) {
  WisdomStore store(":memory:");
  StoreWriter writer(store);
  bool is_written = false;
  std::promise<void> goes_on;
  writer.push([](WisdomStore&) {});
  writer.push([&](WisdomStore&) {
    goes_on.get_future().wait();
    throw Error("the disk is full");
  });
  writer.push([&](WisdomStore&) { is_written = true; });
  goes_on.set_value();
  EXPECT_THROW(writer.wait_for_all(), Error);
  EXPECT_FALSE(is_written);
  EXPECT_EQ(writer.done(), 1u);
  writer.check();
  EXPECT_EQ(writer.push([&](WisdomStore&) { is_written = true; }), 2u);
  writer.wait_for(2);
  EXPECT_TRUE(is_written);
}

// A device worker in this process that locks the database, as another process may, from one trial to a later one.
class LockingWorker final : public Workers {
 public:
  LockingWorker(std::filesystem::path database, int from, int to)
      : database_(std::move(database)), from_(from), to_(to) {}
  std::unique_ptr<Transport> device_worker(LaneId) override {
    const auto server = std::make_shared<DeviceServer>(recording_testbed(std::make_shared<Replay>(bowl())));
    return std::make_unique<DirectTransport>([this, server](const Job& job) {
      if (std::holds_alternative<Try>(job)) see_try();
      return server->answer(job);
    });
  }
  std::unique_ptr<Transport> compile_worker(const DeviceInfo&) override { throw Error("a recording compiles nothing"); }
  bool is_unlocked() const { return tries_ >= to_ && !lock_; }

 private:
  void see_try() {
    ++tries_;
    if (tries_ == from_) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));  // commits of before end
      lock_.emplace(database_, SQLite::OPEN_READWRITE, 5000);
      lock_->exec("BEGIN IMMEDIATE");
    }
    if (tries_ == to_) lock_.reset();
  }

  const std::filesystem::path database_;
  const int from_, to_;
  int tries_ = 0;
  std::optional<SQLite::Database> lock_;
};

TEST(StoreWriter, LetsTrialsGoOnWhileTheDatabaseIsLocked) {
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "locked_while_trials_go_on.db";
  const Recording recording = bowl();
  const std::atomic<int> stop{0};
  for (const int from : {4, 10, 16, 22}) {  // commits fall between any two of them
    std::filesystem::remove(file);
    WisdomStore store(file, WisdomStore::Access::read_write, {.seconds = 2});
    LockingWorker workers(file, from, from + 6);
    Pool pool(workers);
    SessionRequest request;
    request.effort = Effort::exhaustive;
    request.seed = 3;
    request.compile_threads = 8;  // proposals are made ahead for each
    Observer observer;
    const RecordingSubject subject(recording, replay_kernel(recording), pool.device().info);
    const SessionResult result = run_session(request, subject, pool, store, nullptr, observer, stop);
    EXPECT_EQ(result.survivors, 38) << from;
    EXPECT_TRUE(workers.is_unlocked()) << from;
    EXPECT_EQ(store.trials(1).size(), 42u) << from;
    EXPECT_TRUE(store.open_attempts(1).empty()) << from;
  }
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace attune
