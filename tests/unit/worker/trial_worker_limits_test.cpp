// The coordinator's side of a device worker: deadlines, clocks, fresh workers, answers that cannot be.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "attune/error.hpp"
#include "unit/worker/trial_worker_fixture.hpp"

namespace attune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST_F(TrialWorkerTest, LatenessIsATimeout) {
  worker();
  once("check", Heard::End::timed_out);
  const TrialWorker::Checked late = check(first());
  EXPECT_EQ(late.status.verdict, Verdict::timeout);
  EXPECT_TRUE(late.status.sticky);
}

TEST_F(TrialWorkerTest, CandidatesAreLoadedIntoAFreshWorkerWhenTheyAreNeeded) {
  const auto one = check(first()).candidate.value(), two = check(second()).candidate.value();
  const double before = worker().sample(one).nanoseconds;
  worker().revive();
  transport_.seen.clear();
  EXPECT_NEAR(worker().sample(one).nanoseconds, before, 0.1 * before);
  EXPECT_TRUE(worker().sample(one).status.ok());
  worker().release(two);  // which the fresh worker does not know
  EXPECT_THAT(transport_.seen, ElementsAre("load", "check", "sample", "sample"));
}

TEST_F(TrialWorkerTest, ADeathWhileItSamplesIsToldAndTheNextSampleIsInAFreshWorker) {
  const auto one = check(first()).candidate.value();
  once("sample", Heard::End::died);
  EXPECT_EQ(worker().sample(one).status.verdict, Verdict::fault);
  EXPECT_TRUE(worker().sample(one).status.ok());
  EXPECT_EQ(worker().revivals(), 1);
}

TEST_F(TrialWorkerTest, AStickyStatusReplacesTheWorkerBeforeTheNextRequest) {
  const auto one = check(first()).candidate.value();
  transport_.change = [](Reply& reply) {
    if (auto* sampled = std::get_if<Sampled>(&reply.answer)) sampled->status = {Verdict::fault, "700", true};
  };
  EXPECT_TRUE(worker().sample(one).status.sticky);
  transport_.change = nullptr;
  EXPECT_TRUE(check(second()).candidate);
  EXPECT_EQ(worker().revivals(), 1);
}

TEST_F(TrialWorkerTest, TheFirstWorkerMayDieOfTheReferenceOnce) {
  transport_.ends = [](const std::string& request, int number) {
    return request == "begin" && number == 1 ? Heard::End::died : Heard::End::replied;
  };
  EXPECT_TRUE(check(first()).candidate);
}

TEST_F(TrialWorkerTest, AReferenceThatKillsTwoWorkersIsAnError) {
  transport_.ends = [](const std::string& request, int) {
    return request == "begin" ? Heard::End::died : Heard::End::replied;
  };
  EXPECT_THROW(
      try { worker(); } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("two device workers died"));
        throw;
      },
      Error);
}

TEST_F(TrialWorkerTest, FailuresAreThrownAsWhatTheyAre) {
  worker();
  const auto answer_with = [this](Answer answer) { transport_.change = [=](Reply& reply) { reply.answer = answer; }; };
  answer_with(Failure{Failure::Kind::out_of_memory, "x"});
  EXPECT_THROW(check(first()), OutOfMemory);
  answer_with(Failure{Failure::Kind::usage, "x"});
  EXPECT_THROW(check(first()), UsageError);
  answer_with(Failure{Failure::Kind::error, "x"});
  EXPECT_THROW(check(first()), Error);
  answer_with(Done{});  // not what was asked for
  EXPECT_THROW(check(first()), Error);
}

TEST_F(TrialWorkerTest, DeadlinesFollowTheAnchor) {
  check(first());
  EXPECT_GE(transport_.deadline, 60);
  EXPECT_LT(transport_.deadline, 70);
  worker().expect_launch(1e6);  // 50 ms would be too little for any machine
  check(second());
  EXPECT_GE(transport_.deadline, 2);
  EXPECT_LT(transport_.deadline, 10);
  worker().expect_launch(1e9);
  const auto one = check(second()).candidate.value();
  EXPECT_GE(transport_.deadline, 50);
  EXPECT_LT(transport_.deadline, 60);
  worker().warm_up(one, {.milliseconds = 200'000});
  EXPECT_GE(transport_.deadline, 250);
}

TEST_F(TrialWorkerTest, AUsersLimitStandsWhateverTheAnchorTakes) {
  Deadlines deadlines;
  deadlines.user_seconds = 0.5;
  worker_ = std::make_unique<TrialWorker>(transport_, open_worker(transport_), *device_->compiler(), spec_, Problem{},
                                          first(), 1, deadlines);
  check(first());
  EXPECT_LT(transport_.deadline, 5);
  worker().expect_launch(1e9);
  check(second());
  EXPECT_LT(transport_.deadline, 5);
}

TEST_F(TrialWorkerTest, TheClockGoesOnOverRevivals) {
  check(first());
  const double before = worker().seconds();
  EXPECT_GT(before, 0);
  worker().revive();
  EXPECT_GE(worker().seconds(), before);
  check(second());
  EXPECT_GT(worker().seconds(), before);
}

TEST_F(TrialWorkerTest, AClockThatRunsBackOrAwayIsNotFollowed) {
  const auto one = check(first()).candidate.value();
  const double before = worker().seconds(), busy = worker().busy_seconds();
  constexpr double infinite = std::numeric_limits<double>::infinity();
  for (const double wrong : {-1.0, infinite, std::numeric_limits<double>::quiet_NaN()}) {
    transport_.change = [=](Reply& reply) { reply.seconds = reply.worked_seconds = wrong; };
    worker().sample(one);
    EXPECT_EQ(worker().seconds(), before) << wrong;
    EXPECT_EQ(worker().busy_seconds(), busy) << wrong;
  }
}

TEST_F(TrialWorkerTest, AWorkerThatLostHalfOfItsMemoryIsReplaced) {
  std::uint64_t free_bytes = 1000;
  transport_.change = [&](Reply& reply) {
    if (auto* outcome = std::get_if<TrialOutcome>(&reply.answer)) outcome->free_bytes = free_bytes;
  };
  check(first());
  free_bytes = 501;
  check(second());
  check(second());
  EXPECT_EQ(worker().revivals(), 0);
  free_bytes = 499;
  check(second());
  free_bytes = 1000;
  check(second());
  EXPECT_EQ(worker().revivals(), 1);
}

TEST_F(TrialWorkerTest, ATimeThatIsNoneIsUnstable) {
  const auto one = check(first()).candidate.value();
  for (const double wrong : {0.0, -1.0, 1e30, std::numeric_limits<double>::quiet_NaN()}) {
    transport_.change = [=](Reply& reply) {
      if (auto* sampled = std::get_if<Sampled>(&reply.answer)) sampled->samples_ns = {wrong};
    };
    EXPECT_EQ(worker().sample(one).status.verdict, Verdict::unstable) << wrong;
  }
  transport_.change = [](Reply& reply) {
    if (auto* sampled = std::get_if<Sampled>(&reply.answer)) sampled->samples_ns.clear();
  };
  EXPECT_EQ(worker().sample(one).status.verdict, Verdict::unstable);
}

}  // namespace
}  // namespace attune
