// A pool's device worker: results, their order, their figures, and answers that cannot be.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

#include "unit/worker/pool_fixture.hpp"

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

TEST_F(PoolTest, EachImageHasAResultOfItsOwn) {
  const ImageRequest wanted[] = {image_of(1), image_of(2), image_of(3)};
  const Ticket tickets[] = {pool().submit(wanted[0]), pool().submit(wanted[1]), pool().submit(wanted[2])};
  for (const int i : {2, 0, 1}) {
    const Result result = pool().wait(tickets[i]);
    const std::vector<CompileOutcome>& outcomes = std::get<ImagesCompiled>(result.answer).outcomes;
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
  EXPECT_EQ(pool().replaced(), 0);
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
  EXPECT_TRUE(std::holds_alternative<Done>(pool().run(Release{1}).answer));
  EXPECT_TRUE(std::holds_alternative<Done>(pool().run(Release{1}).answer)) << "which is not loaded any more";
  EXPECT_TRUE(std::holds_alternative<Done>(pool().run(Release{77}).answer)) << "which never was";
  EXPECT_TRUE(status(pool().run(try_of(2))).ok());
  EXPECT_EQ(pool().replaced(), 0);
}

TEST_F(PoolTest, SeveralAreSampledInTurn) {
  begin();
  load(1);
  load(2);
  const double one = time_of(1), other = time_of(2);
  ASSERT_GT(std::abs(one - other), 0.2 * one);
  const double timed = pool().timed_seconds();
  const Result result = pool().run(Rounds{{1, 2, 1}, {1, 0}});
  ASSERT_EQ(samples(result).size(), 3u) << status(result).detail;
  EXPECT_NEAR(samples(result)[0], one, 0.1 * one);
  EXPECT_NEAR(samples(result)[1], other, 0.1 * other);
  EXPECT_NEAR(samples(result)[2], one, 0.1 * one);
  EXPECT_NEAR(pool().timed_seconds() - timed, 1e-9 * (2 * one + other), 0.1e-9 * one);
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

TEST_F(PoolTest, AJobSentAheadHasItsWholeTimeWhenTheWorkerComesToIt) {
  begin();
  pool().run(try_of(2));
  const double alone = script_.waited.at("try 2");
  script_.hold("try 1");
  const Ticket first = pool().submit(try_of(1)), second = pool().submit(try_of(2));
  script_.wait_until_begun("try 1");
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
  script_.release();
  pool().wait(first);
  pool().wait(second);
  EXPECT_NEAR(script_.waited.at("try 2"), alone, 0.4);
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
  ends("try 1", Received::End::died);  // what the known-good job saw is not lost
  EXPECT_EQ(pool().run(try_of(1)).watched.states.size(), 4u);
}

TEST_F(PoolTest, TheClockGoesOnOverFreshWorkers) {
  begin();
  const double before = pool().run(try_of(1)).seconds;
  EXPECT_GT(before, 0);
  EXPECT_EQ(pool().seconds(), before);
  ends("try 2", Received::End::died);
  const Result result = pool().run(try_of(2));
  EXPECT_GT(result.seconds, before);
  EXPECT_GT(result.lost_seconds, 0);
  EXPECT_LE(result.lost_seconds, result.seconds - before);
}

TEST_F(PoolTest, AClockThatRunsBackOrAwayIsNotFollowed) {
  begin();
  load(1);
  const double before = pool().run(try_of(1)).seconds, busy = pool().busy_seconds();
  for (const double wrong : {-1.0, infinite, quiet_nan}) {
    script_.change = [=](const Job&, Reply& reply) { reply.seconds = reply.worked_seconds = wrong; };
    EXPECT_EQ(pool().run(Rounds{{1}, {1, 0}}).seconds, before) << wrong;
    EXPECT_EQ(pool().busy_seconds(), busy) << wrong;
  }
  script_.change = [](const Job&, Reply& reply) { reply.worked_seconds = 2; };
  pool().run(Rounds{{1}, {1, 0}});
  EXPECT_EQ(pool().busy_seconds(), busy + 2);
}

TEST_F(PoolTest, ATimeThatNoClockCanShowIsUnstable) {
  begin();
  load(1);
  for (const double wrong : {0.0, -1.0, 1e30, quiet_nan}) {
    script_.change = [=](const Job&, Reply& reply) {
      if (auto* sampled = std::get_if<RoundsSampled>(&reply.answer)) sampled->samples_ns = {wrong};
      if (auto* tried = std::get_if<Tried>(&reply.answer)) tried->samples_ns.back() = wrong;
    };
    const Result rounds = pool().run(Rounds{{1}, {1, 0}});
    EXPECT_EQ(status(rounds).verdict, Verdict::unstable) << wrong;
    EXPECT_EQ(rounds.failed, 1u);
    EXPECT_EQ(status(pool().run(try_of(2))).verdict, Verdict::unstable) << wrong;
  }
  EXPECT_EQ(pool().replaced(), 0);
}

TEST_F(PoolTest, TooFewSamplesAreUnstable) {
  begin();
  load(1);
  script_.change = [](const Job&, Reply& reply) {
    if (auto* sampled = std::get_if<RoundsSampled>(&reply.answer)) sampled->samples_ns.pop_back();
    if (auto* tried = std::get_if<Tried>(&reply.answer)) tried->samples_ns.clear();
  };
  EXPECT_EQ(status(pool().run(Rounds{{1, 1}, {}})).verdict, Verdict::unstable);
  EXPECT_EQ(status(pool().run(try_of(2))).verdict, Verdict::unstable);
}

TEST_F(PoolTest, EnergyThatCannotBeIsNone) {
  begin();
  load(1);
  for (const LaunchEnergy& lie :
       {LaunchEnergy{quiet_nan, 0.1, 5, 50}, LaunchEnergy{-1, 0.1, 5, 50}, LaunchEnergy{0, 0.1, 5, 50},
        LaunchEnergy{infinite, 0.1, 5, 50}, LaunchEnergy{1, quiet_nan, 5, 50}, LaunchEnergy{1, -0.1, 5, 50},
        LaunchEnergy{1, infinite, 5, 50}}) {
    script_.change = [&](const Job&, Reply& reply) { reply.answer = EnergyMeasured{{}, lie}; };
    const Result result = pool().run(Meter{1, {}, 0, 0});
    EXPECT_EQ(status(result).verdict, Verdict::unstable) << lie.joules << " " << lie.error;
    EXPECT_FALSE(std::get<EnergyMeasured>(result.answer).energy);
  }
  script_.change = [](const Job&, Reply& reply) { reply.answer = EnergyMeasured{{}, LaunchEnergy{1, 0.1, 5, 50}}; };
  EXPECT_TRUE(std::get<EnergyMeasured>(pool().run(Meter{1, {}, 0, 0}).answer).energy);
}

TEST_F(PoolTest, AnAnswerOfAnotherKindIsAnErrorOfItsJobAndEndsThoseBehind) {
  begin();
  script_.hold("try 1");
  const Ticket first = pool().submit(try_of(1)), second = pool().submit(try_of(2)), third = pool().submit(try_of(2));
  script_.change = [](const Job& job, Reply& reply) {
    if (name_of(job) == "try 1") reply.answer = Done{};
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
  script_.ends = [](const std::string& job, int) {
    return job == "open" ? Received::End::died : Received::End::replied;
  };
  EXPECT_THROW(
      try { pool(); } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("does not start"));
        throw;
      },
      Error);
}

TEST_F(PoolTest, AWorkerThatDiesWhileItOpensItsDeviceIsGivenASecondChance) {
  ends("open", Received::End::died);
  EXPECT_EQ(pool().device().info.kind, "replay");
  EXPECT_EQ(pool().replaced(), 1);
}

TEST_F(PoolTest, AWorkerThatLostHalfOfItsMemoryIsReplaced) {
  std::uint64_t free_bytes = 1000;
  script_.change = [&](const Job&, Reply& reply) {
    if (auto* begun = std::get_if<Begun>(&reply.answer)) begun->free_bytes = 1000;
    if (auto* tried = std::get_if<Tried>(&reply.answer)) tried->free_bytes = free_bytes;
  };
  begin();
  free_bytes = 501;
  pool().run(try_of(1));
  pool().run(try_of(1));
  EXPECT_EQ(pool().replaced(), 0);
  free_bytes = 499;
  pool().run(try_of(1));
  free_bytes = 1000;
  const Result next = pool().run(try_of(2));
  EXPECT_TRUE(status(next).ok());
  EXPECT_EQ(next.deaths, 0);
  EXPECT_EQ(pool().replaced(), 1);
}

}  // namespace
}  // namespace attune
