// A pool's device worker: results, their order, their figures, and answers that cannot be.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <limits>

#include "unit/worker/pool_fixture.hpp"
#include "worker/answer_check.hpp"

namespace attune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::atomic<int> never{0};
constexpr double quiet_nan = std::numeric_limits<double>::quiet_NaN(),
                 infinite = std::numeric_limits<double>::infinity();

// A pool makes the messages to compile workers itself: of as many images as suit them.
template <typename Job>
concept IsTakenByAPool = requires(Pool& pool, Job job) {
  pool.submit(std::move(job));
};
static_assert(IsTakenByAPool<Try> && IsTakenByAPool<DeviceJob> && IsTakenByAPool<ImageRequest>);
static_assert(!IsTakenByAPool<Compile> && !IsTakenByAPool<OpenCompiler> && !IsTakenByAPool<Job>);

class TwoLanes : public PoolTest {
 protected:
  TwoLanes() { workers_.add(other_); }
  Script other_;
};

TEST_F(PoolTest, EachImageHasAResultOfItsOwn) {
  const ImageRequest wanted[] = {image_of(1), image_of(2), image_of(3)};
  const Ticket tickets[] = {pool().submit(wanted[0]), pool().submit(wanted[1]), pool().submit(wanted[2])};
  for (const int i : {2, 0, 1}) {
    const Result result = pool().wait(tickets[i]);
    const std::vector<CompileOutcome>& outcomes = std::get<CompileAnswer>(result.answer).outcomes;
    ASSERT_EQ(outcomes.size(), 1u);
    EXPECT_EQ(outcomes[0].image.value().functions.at(0).expression, wanted[i].expressions.at(0));
  }
}

TEST_F(PoolTest, ATryAnswersWithSamples) {
  begin();
  const Result result = pool().run(try_of(1, 2));
  EXPECT_TRUE(status(result).ok()) << status(result).detail;
  EXPECT_EQ(samples(result).size(), 3u);
  EXPECT_GT(samples(result)[0], 2e6);
  EXPECT_EQ(result.attempt, 2);
  EXPECT_EQ(result.deaths, 0);
  EXPECT_EQ(result.lost_seconds, 0);
  EXPECT_THAT(result.notes, IsEmpty());
  EXPECT_FALSE(result.failed);
  EXPECT_EQ(pool().figures().replaced, 0);
  EXPECT_EQ(script_.workers, 1);
}

TEST_F(PoolTest, AHopelessFirstSampleIsTheLast) {
  begin();
  EXPECT_EQ(samples(pool().run(Try{launch(1), {.count = 3, .most = 3, .stop_above_ns = 1}})).size(), 1u);
  EXPECT_EQ(samples(pool().run(Try{launch(1), {.count = 3, .most = 3, .stop_above_ns = 1e12}})).size(), 3u);
}

TEST_F(PoolTest, ALoadedInstanceIsSampledCheckedMeteredAndReleased) {
  begin();
  load(1);
  EXPECT_EQ(samples(pool().run(Rounds{{1, 1}, {}})).size(), 2u);
  EXPECT_TRUE(status(pool().run(CheckAgain{1, false})).ok());
  EXPECT_TRUE(status(pool().run(Meter{1, {}, 0, 0})).ok());
  EXPECT_TRUE(std::holds_alternative<Acknowledgement>(pool().run(Release{1}).answer));
  EXPECT_TRUE(std::holds_alternative<Acknowledgement>(pool().run(Release{1}).answer)) << "which is not loaded any more";
  EXPECT_TRUE(std::holds_alternative<Acknowledgement>(pool().run(Release{77}).answer)) << "which never was";
  EXPECT_TRUE(status(pool().run(try_of(2))).ok());
  EXPECT_EQ(pool().figures().replaced, 0);
}

TEST_F(PoolTest, SeveralAreSampledInTurn) {
  begin();
  load(1);
  load(2);
  const double one = time_of(1), other = time_of(2);
  ASSERT_GT(std::abs(one - other), 0.2 * one);
  const double timed = pool().figures().timed_seconds;
  const Result result = pool().run(Rounds{{1, 2, 1}, {1, 0}});
  ASSERT_EQ(samples(result).size(), 3u) << status(result).detail;
  EXPECT_NEAR(samples(result)[0], one, 0.1 * one);
  EXPECT_NEAR(samples(result)[1], other, 0.1 * other);
  EXPECT_NEAR(samples(result)[2], one, 0.1 * one);
  EXPECT_NEAR(pool().figures().timed_seconds - timed, 1e-9 * (2 * one + other), 0.1e-9 * one);
}

TEST_F(PoolTest, TwoJobsAreSentAheadNeverThree) {
  begin();
  script_.hold("try 1");
  std::vector<Ticket> tickets{pool().submit(try_of(1))};
  script_.wait_until_begun("try 1");
  for (int i = 0; i < 5; ++i) tickets.push_back(pool().submit(try_of(2)));
  script_.sent_ahead = 1;  // the second; the others have to wait
  script_.release();
  for (const Ticket ticket : tickets) EXPECT_EQ(pool().next(never)->ticket, ticket);
  EXPECT_EQ(script_.most_sent, 2u);
  EXPECT_EQ(script_.sent_ahead, 5) << "the worker always had its next job before it needed it";
}

TEST_F(PoolTest, ResultsOfOthersStayWhileOneIsWaitedFor) {
  begin();
  const Ticket first = pool().submit(try_of(1)), second = pool().submit(try_of(2));
  EXPECT_EQ(pool().wait(second).ticket, second);
  EXPECT_EQ(pool().next(never)->ticket, first);
  EXPECT_FALSE(pool().next(never, 0.01));
  const std::atomic<int> stopped{1};
  EXPECT_FALSE(pool().next(stopped));
}

TEST_F(PoolTest, ResultsComeWithWhatWasWatchedSinceTheLast) {
  begin();
  script_.change = [](const Job& job, Reply& reply) {
    reply.watched = {};
    if (!std::holds_alternative<Try>(job)) return;
    reply.watched.states.resize(2);
    reply.watched.users = {"python3 (7)"};
  };
  const Result result = pool().run(try_of(1));
  EXPECT_EQ(result.watched.states.size(), 2u);
  EXPECT_THAT(result.watched.users, ElementsAre("python3 (7)"));
  EXPECT_EQ(pool().run(Release{5}).watched.states.size(), 0u);
  ends("try 1", Receipt::End::died);  // what the known-good job saw is not lost
  EXPECT_EQ(pool().run(try_of(1)).watched.states.size(), 4u);
}

TEST_F(PoolTest, TheClockGoesOnOverFreshWorkers) {
  begin();
  const double before = pool().run(try_of(1)).seconds;
  EXPECT_GT(before, 0);
  EXPECT_EQ(pool().seconds(), before);
  ends("try 2", Receipt::End::died);
  const Result result = pool().run(try_of(2));
  EXPECT_GT(result.seconds, before);
  EXPECT_GT(result.lost_seconds, 0);
  EXPECT_LE(result.lost_seconds, result.seconds - before);
}

TEST_F(PoolTest, AClockThatRunsBackOrAwayIsNotFollowed) {
  begin();
  load(1);
  const double before = pool().run(try_of(1)).seconds, busy = pool().figures().busy_seconds;
  for (const double wrong : {-1.0, infinite, quiet_nan}) {
    script_.change = [=](const Job&, Reply& reply) { reply.seconds = reply.worked_seconds = wrong; };
    EXPECT_EQ(pool().run(Rounds{{1}, {1, 0}}).seconds, before) << wrong;
    EXPECT_EQ(pool().figures().busy_seconds, busy) << wrong;
  }
  script_.change = [](const Job&, Reply& reply) { reply.worked_seconds = 2; };
  pool().run(Rounds{{1}, {1, 0}});
  EXPECT_EQ(pool().figures().busy_seconds, busy + 2);
}

TEST(AnswerCheck, MakesWhatNoDeviceCanTellAVerdict) {
  const auto verdict = [](const Job& job, Answer answer) {
    check_answer(job, answer);
    return status_of(answer)->verdict;
  };
  const Rounds rounds{{1, 1}, {}};
  for (const double wrong : {0.0, -1.0, 1e30, infinite, quiet_nan}) {
    EXPECT_EQ(verdict(rounds, RoundsAnswer{{}, {1, wrong}}), Verdict::unstable) << wrong;
    EXPECT_EQ(verdict(Try{}, TryAnswer{{}, {}, {1, wrong}, 0}), Verdict::unstable) << wrong;
  }
  EXPECT_EQ(verdict(rounds, RoundsAnswer{{}, {1}}), Verdict::unstable) << "too few";
  EXPECT_EQ(verdict(Try{}, TryAnswer{}), Verdict::unstable) << "none";
  EXPECT_EQ(verdict(rounds, RoundsAnswer{{}, {1, 2}}), Verdict::ok);
  EXPECT_EQ(verdict(Load{}, TryAnswer{}), Verdict::ok);
  for (const LaunchEnergy& lie :
       {LaunchEnergy{quiet_nan, 0.1, 5, 50}, LaunchEnergy{-1, 0.1, 5, 50}, LaunchEnergy{0, 0.1, 5, 50},
        LaunchEnergy{infinite, 0.1, 5, 50}, LaunchEnergy{1, quiet_nan, 5, 50}, LaunchEnergy{1, -0.1, 5, 50},
        LaunchEnergy{1, infinite, 5, 50}})
    EXPECT_EQ(verdict(Meter{}, MeterAnswer{{}, lie}), Verdict::unstable) << lie.joules << " " << lie.error;
  EXPECT_EQ(verdict(Meter{}, MeterAnswer{{}, LaunchEnergy{1, 0.1, 5, 50}}), Verdict::ok);
}

TEST_F(PoolTest, AnAnswerOfAnotherKindIsAnErrorOfItsJobAndEndsThoseBehind) {
  begin();
  script_.hold("try 1");
  const Ticket first = pool().submit(try_of(1)), second = pool().submit(try_of(2)), third = pool().submit(try_of(2));
  script_.change = [](const Job& job, Reply& reply) {
    if (name_of(job) == "try 1") reply.answer = Acknowledgement{};
  };
  script_.release();
  EXPECT_THROW(
      try { pool().wait(first); } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("another answer"));
        throw;
      },
      Error);
  EXPECT_THROW(pool().wait(second), Error);
  EXPECT_THROW(pool().wait(third), Error);
  EXPECT_TRUE(pool().has_lost_device());
  script_.change = nullptr;
  begin();
  EXPECT_FALSE(pool().has_lost_device());
  EXPECT_TRUE(status(pool().run(try_of(2))).ok());
}

TEST_F(PoolTest, AFailureOfTheEnvironmentIsAnAnswer) {
  begin();
  script_.change = [](const Job&, Reply& reply) { reply.answer = Failure{Failure::Kind::out_of_memory, "x"}; };
  EXPECT_EQ(std::get<Failure>(pool().run(try_of(1)).answer).text, "x");
  EXPECT_THROW(throw_failure({Failure::Kind::out_of_memory, "x"}), OutOfMemory);
  EXPECT_THROW(throw_failure({Failure::Kind::usage, "x"}), UsageError);
  EXPECT_THROW(throw_failure({Failure::Kind::error, "x"}), Error);
}

TEST_F(PoolTest, ADeviceThatCannotBeOpenedIsAnError) {
  script_.change = [](const Job&, Reply& reply) { reply.answer = Failure{Failure::Kind::usage, "no such device"}; };
  EXPECT_THROW(pool(), UsageError);
  pool_.reset();
  script_.change = nullptr;
  script_.ends = [](const std::string& job, int) { return job == "open" ? Receipt::End::died : Receipt::End::replied; };
  EXPECT_THROW(
      try { pool(); } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("does not start"));
        throw;
      },
      Error);
}

TEST_F(PoolTest, ADeathIsForgivenWhenTheSecondAttemptPasses) {
  begin();
  ends("try 2", Receipt::End::died);
  const Ticket first = pool().submit(try_of(2)), second = pool().submit(try_of(1));
  const Result died = pool().wait(first), next = pool().wait(second);
  EXPECT_THAT(script_.take_begun(), ElementsAre("try 2", "begin", "try 9", "try 2#2", "try 1"));
  EXPECT_EQ(died.deaths, 1);
  EXPECT_EQ(next.deaths, 0);
  EXPECT_GT(next.made_ms, 1'700'000'000'000);
  EXPECT_EQ(pool().figures().replaced, 1);
}

TEST_F(PoolTest, NextGivesTheErrorOfALostLaneToAllOfItsJobsAndGoesOn) {
  begin();
  script_.ends = [](const std::string& job, int) {
    return job.starts_with("try") ? Receipt::End::died : Receipt::End::replied;
  };
  script_.hold("try 2");
  const Ticket jobs[] = {pool().submit(try_of(2)), pool().submit(try_of(1))};
  script_.release();
  for (const Ticket job : jobs) {
    const std::optional<Result> result = pool().next(never);
    EXPECT_EQ(result->ticket, job);
    EXPECT_THROW(std::rethrow_exception(result->error), Error);
  }
  EXPECT_FALSE(pool().next(never, 0.01)) << "each is given once";
  EXPECT_TRUE(std::holds_alternative<CompileAnswer>((pool().submit(image_of(1)), pool().next(never)->answer)));
}

TEST_F(PoolTest, EndsAtOnceWhateverItIsAt) {
  begin();
  ends("try 2", Receipt::End::died);
  script_.hangs = [](const std::string& job, int worker) { return job == "try 2#2" || worker > 2; };
  pool().submit(try_of(2));
  script_.wait_until_begun("try 2#2");
  const auto begin = std::chrono::steady_clock::now();
  pool_.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

TEST_F(PoolTest, WhatIsAbandonedHasNoResultAndTheNextProblemBegins) {
  begin();
  script_.hangs = [](const std::string& job, int) { return job == "try 2"; };
  const Ticket first = pool().submit(try_of(2)), second = pool().submit(try_of(1));
  script_.wait_until_begun("try 2");
  pool().abandon_device_jobs();
  EXPECT_THROW(pool().wait(first), Error);
  EXPECT_THROW(pool().wait(second), Error);
  begin();
  EXPECT_TRUE(status(pool().run(try_of(1))).ok());
  EXPECT_EQ(pool().figures().replaced, 1);
}

// Its driver holds it: a fresh worker would hang there too.
TEST_F(PoolTest, AWorkerThatStaysAfterItsKillLosesTheDevice) {
  begin();
  script_.stays = [](const std::string& job) { return job == "try 2"; };
  const Try present = try_of(2), next = try_of(3);
  script_.hold("try 2");
  const Ticket first = pool().submit(present), second = pool().submit(next);
  script_.release();
  EXPECT_THROW(pool().wait(first), DeviceLost);
  EXPECT_TRUE(pool().has_lost_device());
  EXPECT_THROW(pool().wait(second), Error) << "no answer will come";
  EXPECT_EQ(script_.workers, 1) << "no other is started";
}

TEST_F(TwoLanes, WorkAtTheSameTimeAndTicketsTellWhich) {
  ASSERT_EQ(pool().lanes(), 2u);
  begin(0);
  begin(1);
  script_.hold("try 1");
  const Ticket held = pool().submit(try_of(1), 0), free = pool().submit(try_of(2), 1);
  EXPECT_EQ(pool().wait(free).ticket, free);
  EXPECT_EQ(free.lane, 1u);
  EXPECT_NE(pool().submit(image_of(1)).lane, 0u);
  script_.release();
  EXPECT_EQ(pool().wait(held).ticket.lane, 0u);
  EXPECT_GT(pool().figures().timed_seconds, 0);
  EXPECT_GT(pool().seconds(), 0);
}

TEST_F(TwoLanes, ALostDeviceLeavesTheOthersJobsAlone) {
  begin(0);
  begin(1);
  other_.stays = [](const std::string& job) { return job == "try 2"; };
  other_.hold("try 2");
  script_.hold("try 1");
  const Ticket lost = pool().submit(try_of(2), 1), behind = pool().submit(try_of(3), 1);
  const Ticket kept = pool().submit(try_of(1), 0);
  other_.release();
  EXPECT_THROW(pool().wait(lost), DeviceLost);
  EXPECT_THROW(pool().wait(behind), Error);
  EXPECT_TRUE(pool().has_lost_device(1));
  EXPECT_FALSE(pool().has_lost_device(0));
  script_.release();
  EXPECT_TRUE(status(pool().wait(kept)).ok());
  EXPECT_EQ(pool().figures().replaced, 1) << "of both";
}

TEST_F(TwoLanes, OneAloneIsAbandoned) {
  begin(0);
  begin(1);
  script_.hangs = [](const std::string&, int) { return true; };
  other_.hold("try 1");
  const Ticket dropped = pool().submit(try_of(1), 0), kept = pool().submit(try_of(1), 1);
  script_.wait_until_begun("try 1");
  pool().abandon_device_jobs(0);
  other_.release();
  EXPECT_THROW(pool().wait(dropped), Error);
  EXPECT_TRUE(status(pool().wait(kept)).ok());
  EXPECT_TRUE(pool().isolates(1));
}

}  // namespace
}  // namespace attune
