// Attempts when several processes write them, and when the one that tries is killed.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <random>
#include <set>
#include <thread>

#include "db/child_process.hpp"
#include "db/scratch.hpp"
#include "db/wisdom_schema.hpp"
#include "db/wisdom_store.hpp"

namespace attune {
namespace {

using test::await_byte;
using test::bytes_left;
using test::Child;
using test::exit_status;
using test::sample_device;
using test::sample_key;
using test::sample_session;
using test::sample_trial;
using test::start;

Configuration configuration(int block) { return sample_trial(block).configuration; }

TEST(WisdomAttemptsOfProcesses, OnOneSessionAreAllCounted) {
  constexpr int processes = 2, rounds = 20;
  const test::Scratch scratch;
  const auto session = WisdomStore(scratch / "w.db").begin_session(sample_session(), sample_device());
  std::vector<Child> children;
  for (int process = 0; process < processes; ++process)
    children.push_back(start([&, process](int) {
      WisdomStore store(scratch / "w.db");
      for (int round = 0; round < rounds; ++round) {
        store.begin_attempt(session, configuration(0), true);
        const int own = 1 + process * rounds + round;
        store.begin_attempt(session, configuration(own), true);
        Trial trial = sample_trial(own);
        trial.verdict = Verdict::fault;
        trial.deaths = 2;
        if (round % 2 == 1) store.add_trial(session, trial);
      }
    }));
  for (const Child& child : children) EXPECT_EQ(exit_status(child), 0);
  WisdomStore store(scratch / "w.db");
  const auto open = store.open_attempts(session);
  ASSERT_EQ(open.size(), 1u + processes * rounds / 2);
  EXPECT_EQ(open[0].configuration, configuration(0));
  EXPECT_EQ(open[0].begun, processes * rounds);
  EXPECT_EQ(open[0].alone, processes * rounds);
  EXPECT_EQ(store.trials(session).size(), std::size_t{processes * rounds / 2});
  EXPECT_EQ(store.quarantined(sample_key()).size(), std::size_t{processes * rounds / 2});
}

TEST(WisdomAttemptsOfProcesses, BeginOnceInOneProcessOnly) {
  constexpr int processes = 4;
  const test::Scratch scratch;
  const auto session = WisdomStore(scratch / "w.db").begin_session(sample_session(), sample_device());
  std::multiset<int> begun, expected;
  std::vector<Child> children;
  for (int process = 1; process <= processes; ++process) {
    expected.insert(process);
    children.push_back(
        start([&](int) { _exit(WisdomStore(scratch / "w.db").begin_attempt(session, configuration(1), true).begun); }));
  }
  for (const Child& child : children) begun.insert(WEXITSTATUS(exit_status(child)));
  EXPECT_EQ(begun, expected) << "two processes were told the same";
}

TEST(WisdomAttemptsOfProcesses, StayOpenWhenTheirProcessIsKilled) {
  const test::Scratch scratch;
  const auto session = WisdomStore(scratch / "w.db").begin_session(sample_session(), sample_device());
  const Child coordinator = start([&](int output) {
    WisdomStore store(scratch / "w.db");
    store.begin_attempt(session, configuration(1), true);
    store.add_trial(session, sample_trial(1));
    store.begin_attempt(session, configuration(2), true);
    if (write(output, "x", 1) == 1) pause();  // as long as the trial takes
    store.add_trial(session, sample_trial(2));
  });
  await_byte(coordinator);
  kill(coordinator.id, SIGKILL);
  EXPECT_TRUE(WIFSIGNALED(exit_status(coordinator)));
  WisdomStore store(scratch / "w.db");
  const auto open = store.open_attempts(session);
  ASSERT_EQ(open.size(), 1u);
  EXPECT_EQ(open[0].configuration, configuration(2));
  EXPECT_EQ(open[0].begun, 1);
  EXPECT_EQ(open[0].alone, 1);
  EXPECT_EQ(store.trials(session).size(), 1u);
  EXPECT_EQ(store.begin_attempt(session, configuration(2), true).begun, 2) << "the next one knows";
}

// Kills a process that tries one configuration after the other at any moment of its work: whatever it was told to have
// been stored is there, as a trial or as the one open attempt.
TEST(WisdomAttemptsOfProcesses, AreOpenOrTriedWheneverTheKillComes) {
  const test::Scratch scratch;
  { const WisdomStore store(scratch / "w.db"); }
  std::mt19937 random(20240607);
  for (int round = 0; round < 12; ++round) {
    const Child coordinator = start([&](int output) {
      WisdomStore store(scratch / "w.db");
      const auto session = store.begin_session(sample_session(round), sample_device());
      for (int block = 0;; ++block) {
        store.begin_attempt(session, configuration(block), true);
        if (write(output, "x", 1) != 1) _exit(1);
        store.add_trial(session, sample_trial(block));
      }
    });
    await_byte(coordinator);
    std::this_thread::sleep_for(std::chrono::microseconds(std::uniform_int_distribution(0, 20000)(random)));
    kill(coordinator.id, SIGKILL);
    const std::size_t begun = 1 + bytes_left(coordinator);
    EXPECT_TRUE(WIFSIGNALED(exit_status(coordinator)));
    WisdomStore store(scratch / "w.db");
    const auto session = store.find_session(sample_session(round).key);
    ASSERT_TRUE(session.has_value());
    const std::size_t open = store.open_attempts(session->id).size();
    const std::size_t tried = store.trials(session->id).size();
    EXPECT_LE(open, 1u) << "round " << round;
    EXPECT_GE(tried + open, begun) << "round " << round;
    EXPECT_LE(tried + open, begun + 1) << "round " << round << ": more than the one in flight";
    for (const Attempt& attempt : store.open_attempts(session->id))
      EXPECT_EQ(attempt.configuration, configuration(static_cast<int>(tried))) << "round " << round;
  }
}

TEST(WisdomAttemptsOfProcesses, FollowAMigrationThatAllWantedToMake) {
  constexpr int processes = 4;
  const test::Scratch scratch;
  {
    SQLite::Database database((scratch / "w.db").string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    database.exec(test::content_of(ATTUNE_TEST_DATA "/wisdom_v1.sql"));
  }
  std::vector<Child> children;
  for (int process = 0; process < processes; ++process)
    children.push_back(start([&](int) {
      WisdomStore store(scratch / "w.db");
      const auto session = store.find_session(sample_session().key);
      store.begin_attempt(session.value().id, configuration(1), true);
    }));
  for (const Child& child : children) EXPECT_EQ(exit_status(child), 0);
  WisdomStore store(scratch / "w.db");
  const auto open = store.open_attempts(store.find_session(sample_session().key).value().id);
  ASSERT_EQ(open.size(), 1u);
  EXPECT_EQ(open[0].begun, processes);
  SQLite::Database copy((scratch / "w.db.bak-v1").string());
  EXPECT_EQ(copy.execAndGet("PRAGMA user_version").getInt(), 1) << "the copy is of what there was before";
}

}  // namespace
}  // namespace attune
