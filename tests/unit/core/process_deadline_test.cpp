// Deadlines of processes on a busy machine.
#include "base/process_deadline.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sched.h>

#include <thread>

#include "base/usable_processors.hpp"
#include "support/busy_machine.hpp"

namespace attune {
namespace {

using test::BusyMachine;
using test::Child;
using test::compute;

bool ends_within(Child& child, TimeLimit limit) {
  ProcessDeadline deadline(child.number(), limit);
  while (const int left = deadline.milliseconds_left()) {
    if (child.has_ended()) return true;
    poll(nullptr, 0, std::min(left, 10));
  }
  return false;
}

TEST(UsableProcessors, AreThoseOfTheThreadsSet) {
  int usable = 0;
  std::thread([&usable] {
    cpu_set_t mine, one;
    ASSERT_EQ(sched_getaffinity(0, sizeof mine, &mine), 0);
    int first = 0;
    while (!CPU_ISSET(first, &mine)) ++first;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    usable = usable_processors();
  }).join();
  EXPECT_EQ(usable, 1);
  EXPECT_GE(usable_processors(), 1);
}

TEST(SecondsSpent, AreThoseInWhichThreadsRanOrSlept) {
  EXPECT_EQ(seconds_spent(1, {1, 1}, 4), 1) << "it ran";
  EXPECT_EQ(seconds_spent(1, {0, 0}, 4), 1) << "it slept";
  EXPECT_EQ(seconds_spent(1, {0.5, 0}, 4), 1) << "it ran, and sleeps now";
  EXPECT_EQ(seconds_spent(1, {0.25, 1}, 4), 0.25) << "one thread with a quarter of a processor";
  EXPECT_EQ(seconds_spent(1, {4, 16}, 4), 1) << "sixteen threads that have all processors wait for each other";
  EXPECT_EQ(seconds_spent(1, {2, 16}, 4), 0.5) << "they have half of them";
  EXPECT_EQ(seconds_spent(1, {1, 2}, 4), 0.5) << "two threads with half a processor each";
  EXPECT_EQ(seconds_spent(1, {9, 1}, 4), 1);
}

TEST(ProcessDeadlines, AreNotMissedByWorkThatWaitsForAProcessor) {
  const BusyMachine busy;
  Child work([] { compute(0.4); });
  EXPECT_TRUE(ends_within(work, {1, true}));
}

TEST(ProcessDeadlines, AreNotMissedByWorkOfChildrenThatWait) {
  const BusyMachine busy;
  Child work([] {
    Child child([] { compute(0.4); });
    while (!child.has_ended()) poll(nullptr, 0, 10);
  });
  EXPECT_TRUE(ends_within(work, {1, true}));
}

TEST(ProcessDeadlines, EndSleepOnABusyMachineToo) {
  const BusyMachine busy;
  Child sleeper([] { pause(); });
  EXPECT_FALSE(ends_within(sleeper, {0.5, true}));
}

TEST(ProcessDeadlines, AreWallTimeWhereWaitsAreNotForgiven) {
  Child sleeper([] { pause(); });
  EXPECT_FALSE(ends_within(sleeper, 0.1));
  Child over([] {});
  EXPECT_TRUE(ends_within(over, 20));
}

}  // namespace
}  // namespace attune
