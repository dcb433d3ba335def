// Attempts when several processes write them, and when the one that tries is killed.
#include <chrono>
#include <csignal>
#include <random>
#include <set>
#include <thread>

#include "db/wisdom_test.hpp"

namespace attune {
namespace {

using test::await_byte;
using test::Child;
using test::configuration;
using test::exit_status;
using test::rest_of;
using test::sample_trial;
using test::start;

using WisdomAttemptsOfProcesses = test::WisdomTest;

TEST_F(WisdomAttemptsOfProcesses, OnOneSessionAreAllCountedAndNoneIsToldTwice) {
  constexpr int processes = 4, rounds = 20;
  const auto session = begin();
  std::vector<Child> children;
  for (int process = 0; process < processes; ++process)
    children.push_back(start([&, process](int output) {
      WisdomStore store(file_);
      for (int round = 0; round < rounds; ++round) {
        const char told = static_cast<char>(store.begin_attempts(session, {configuration(0)}, true).front().begun);
        if (write(output, &told, 1) != 1) _exit(1);
        const int own = 1 + process * rounds + round;
        store.begin_attempts(session, {configuration(own)}, true);
        Trial trial = sample_trial(own);
        trial.verdict = Verdict::fault;
        trial.deaths = 2;
        if (round % 2 == 1) store.add_trial(session, trial);
      }
    }));
  std::multiset<int> told, each_once;
  for (const Child& child : children) {
    for (const char begun : rest_of(child)) told.insert(begun);
    EXPECT_EQ(exit_status(child), 0);
  }
  for (int begun = 1; begun <= processes * rounds; ++begun) each_once.insert(begun);
  EXPECT_EQ(told, each_once);
  WisdomStore store(file_);
  const auto open = store.open_attempts(session);
  ASSERT_EQ(open.size(), 1u + processes * rounds / 2);
  EXPECT_EQ(open[0].configuration, configuration(0));
  EXPECT_EQ(open[0].begun, processes * rounds);
  EXPECT_EQ(open[0].alone, processes * rounds);
  EXPECT_EQ(store.trials(session).size(), std::size_t{processes * rounds / 2});
  EXPECT_EQ(store.quarantined(test::sample_key()).size(), std::size_t{processes * rounds / 2});
}

// Kills a process that tries one configuration after the other at any moment of its work: what was acknowledged is
// there, as a trial or as the one open attempt, and at most the one write in flight besides.
TEST_F(WisdomAttemptsOfProcesses, AreOpenOrTriedWheneverTheKillComes) {
  { const WisdomStore store(file_); }
  std::mt19937 random(20240607);
  for (int round = 0; round < 20; ++round) {
    const Child coordinator = start([&](int output) {
      WisdomStore store(file_);
      const auto session = begin(store, round);
      for (int block = 0;; ++block) {
        store.begin_attempts(session, {configuration(block)}, true);
        if (write(output, "b", 1) != 1) _exit(1);
        store.add_trial(session, sample_trial(block));
        if (write(output, "t", 1) != 1) _exit(1);
      }
    });
    await_byte(coordinator);
    std::this_thread::sleep_for(std::chrono::microseconds(std::uniform_int_distribution(0, 20000)(random)));
    kill(coordinator.id, SIGKILL);
    const std::size_t acknowledged = 1 + rest_of(coordinator).size();
    EXPECT_TRUE(WIFSIGNALED(exit_status(coordinator)));
    WisdomStore store(file_);
    const auto session = store.find_session(test::sample_session(round).key);
    ASSERT_TRUE(session.has_value());
    const auto open = store.open_attempts(session->id);
    const std::size_t tried = store.trials(session->id).size(), written = 2 * tried + open.size();
    EXPECT_LE(open.size(), 1u) << "round " << round;
    EXPECT_GE(written, acknowledged) << "round " << round;
    EXPECT_LE(written, acknowledged + 1) << "round " << round << ": more than the one in flight";
    if (open.empty()) continue;
    EXPECT_EQ(open[0].configuration, configuration(static_cast<int>(tried))) << "round " << round;
    EXPECT_EQ(store.begin_attempts(session->id, {open[0].configuration}, true).front().begun, 2)
        << "the next one knows";
  }
}

}  // namespace
}  // namespace attune
