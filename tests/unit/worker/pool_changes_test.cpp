// A pool's device worker that what it runs changes, or that stands still: it is replaced, and nothing is blamed on it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/worker/pool_fixture.hpp"

namespace attune {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class PoolChanges : public PoolTest {
 protected:
  // The jobs of these names change their worker.
  void changing(std::vector<std::string> names) {
    script_.change = [names = std::move(names)](const Job& job, Reply& reply) {
      if (std::find(names.begin(), names.end(), name_of(job)) != names.end()) reply.changed = "descriptor 6 closed";
    };
  }
  static auto says(InstanceId id) {
    return AllOf(HasSubstr(configuration(id).text()), HasSubstr("changed its worker (descriptor 6 closed)"));
  }
};

TEST_F(PoolChanges, WhatWasSentAheadIsDoneByAFreshWorker) {
  begin();
  changing({"try 2"});
  script_.hold("try 2");
  const Ticket first = pool().submit(try_of(2)), second = pool().submit(try_of(1));
  script_.wait_until_begun("try 2");
  script_.release();
  const Result changed = pool().wait(first), next = pool().wait(second);
  EXPECT_EQ(script_.sent_ahead, 1);
  EXPECT_THAT(script_.take_begun(), ElementsAre("try 2", "begin", "try 1"));
  EXPECT_TRUE(status(changed).ok()) << "its answer was checked";
  EXPECT_THAT(changed.notes, ElementsAre(says(2)));
  EXPECT_EQ(changed.deaths, 0);
  EXPECT_EQ(changed.worker, 1);
  EXPECT_TRUE(status(next).ok());
  EXPECT_EQ(next.attempt, 1);
  EXPECT_EQ(next.worker, 2);
  EXPECT_THAT(next.notes, IsEmpty());
  EXPECT_EQ(pool().replaced(), 1);
}

TEST_F(PoolChanges, SeveralOfWhichOneChangesTheirWorkerAreSampledApart) {
  begin();
  load(1);
  load(2);
  script_.take_begun();
  changing({"rounds 1 2"});
  EXPECT_EQ(samples(pool().run(Rounds{{1, 2}, {1, 0}})).size(), 2u);
  EXPECT_THAT(script_.take_begun(), ElementsAre("rounds 1 2", "begin", "load 1", "rounds 1", "load 2", "rounds 2"));
  EXPECT_EQ(pool().replaced(), 1);
}

// A worker in which instance 1 is loaded is no place for another one.
TEST_F(PoolChanges, WhatChangesItsWorkerWhenItIsLoadedIsAlone) {
  begin();
  changing({"load 1"});
  load(1);
  load(2);
  script_.take_begun();
  EXPECT_EQ(samples(pool().run(Rounds{{1, 2}, {1, 0}})).size(), 2u);
  EXPECT_THAT(script_.take_begun(), ElementsAre("load 1", "rounds 1", "begin", "load 2", "rounds 2"));
  EXPECT_EQ(samples(pool().run(Rounds{{1}, {1, 0}})).size(), 1u);
  EXPECT_THAT(script_.take_begun(), ElementsAre("load 1", "rounds 1"));
}

// The second one lies in the pipe of the worker that the first one has changed: its answer there would be another's.
TEST_F(PoolChanges, WhatWasSentAheadOfTheSameInstanceIsDoneByAFreshWorkerToo) {
  begin();
  load(1);
  script_.take_begun();
  changing({"rounds 1"});
  script_.hold("rounds 1");
  const Ticket first = pool().submit(Rounds{{1}, {1, 0}}), second = pool().submit(Rounds{{1, 1}, {1, 0}});
  script_.wait_until_begun("rounds 1");
  script_.release();
  EXPECT_EQ(samples(pool().wait(first)).size(), 1u);
  EXPECT_EQ(samples(pool().wait(second)).size(), 2u);
  EXPECT_THAT(script_.take_begun(), ElementsAre("rounds 1", "begin", "load 1", "rounds 1 1"));
}

TEST_F(PoolChanges, WithoutAProcessOfItsOwnNothingIsReplaced) {
  script_.isolates = false;
  begin();
  changing({"try 2"});
  EXPECT_TRUE(status(pool().run(try_of(2))).ok());
  EXPECT_TRUE(status(pool().run(try_of(1))).ok());
  EXPECT_EQ(pool().replaced(), 0);
}

TEST_F(PoolChanges, AWorkerHasTimeToOpenItsDeviceOnceAndLittleBetweenJobs) {
  begin();
  EXPECT_GT(script_.waited.at("open"), Deadlines::open_seconds - 5);
  pool().run(try_of(2));
  EXPECT_LE(script_.waited.at("try 2"), Deadlines::take_seconds);
  ends("try 2", Received::End::died, 2);
  pool().run(try_of(2));
  EXPECT_GT(script_.waited.at("begin"), Deadlines::open_seconds - 5) << "of a fresh one";
}

}  // namespace
}  // namespace attune
