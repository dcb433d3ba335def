// A pool's device worker that dies: what a death is followed by, and what it is blamed on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "unit/worker/pool_fixture.hpp"

namespace attune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr int every_time = 1000;

// What runs `work` throws.
std::string error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST_F(PoolTest, WhenTheKnownGoodJobFailsTwiceNoConfigurationIsBlamed) {
  begin();
  script_.ends = [](const std::string& job, int worker) {
    return job.starts_with("try 2") || (job == "try 9" && worker > 1) ? Received::End::died : Received::End::replied;
  };
  const Ticket ticket = pool().submit(try_of(2));
  EXPECT_THAT(error_of([&] { pool().wait(ticket); }), HasSubstr("no configuration is blamed"));
  EXPECT_TRUE(pool().has_lost_device());
  script_.ends = nullptr;
  begin();
  EXPECT_FALSE(pool().has_lost_device());
  EXPECT_TRUE(status(pool().run(try_of(2))).ok());
}

TEST_F(PoolTest, NextThrowsWhatTheEnvironmentFailedAJobWith) {
  begin();
  script_.ends = [](const std::string& job, int) {
    return job.starts_with("try") ? Received::End::died : Received::End::replied;
  };
  pool().submit(try_of(2));
  const std::atomic<int> never{0};
  EXPECT_THAT(error_of([&] { pool().next(never); }), HasSubstr("no configuration is blamed"));
  EXPECT_FALSE(pool().next(never, 0.01)) << "it is thrown once";
}

TEST_F(PoolTest, AKnownGoodJobThatFailsOnceBlamesNothingElse) {
  begin();
  script_.ends = [](const std::string& job, int worker) {
    return job == "try 2" || (job == "try 9" && worker == 2) ? Received::End::died : Received::End::replied;
  };
  const Result result = pool().run(try_of(2));
  EXPECT_THAT(script_.take_begun(), ElementsAre("try 2", "begin", "try 9", "begin", "try 9", "try 2#2"));
  EXPECT_TRUE(status(result).ok());
  EXPECT_EQ(result.deaths, 1);
}

TEST_F(PoolTest, ADeathBetweenTwoJobsBlamesNone) {
  begin();
  script_.dies_before = [](const std::string& job, int worker) { return job == "try 2" && worker == 1; };
  const Result result = pool().run(try_of(2));
  EXPECT_THAT(script_.take_begun(), ElementsAre("begin", "try 9", "try 2"));
  EXPECT_TRUE(status(result).ok());
  EXPECT_EQ(result.deaths, 0);
  EXPECT_EQ(result.attempt, 1);
  EXPECT_THAT(result.notes, IsEmpty());
  EXPECT_EQ(pool().replaced(), 1);
}

TEST_F(PoolTest, AJobThatWorkersKeepDyingBeforeIsBlamedAllTheSame) {
  begin();
  script_.dies_before = [](const std::string& job, int) { return job.starts_with("try 2"); };
  const Result result = pool().run(try_of(2));
  EXPECT_EQ(status(result).verdict, Verdict::fault);
  EXPECT_EQ(result.deaths, 2);
  EXPECT_EQ(pool().replaced(), 4);
}

TEST_F(PoolTest, AStickyStatusDoesNotBlameTheNextJob) {
  begin();
  script_.hold("try 2");
  script_.change = [](const Job& job, Reply& reply) {
    if (name_of(job) == "try 2") reply.answer = Tried{{Verdict::fault, "700", true}, {}, {}, 0};
  };
  const Ticket first = pool().submit(try_of(2)), second = pool().submit(try_of(1));
  script_.release();
  const Result failed = pool().wait(first), next = pool().wait(second);
  EXPECT_THAT(script_.take_begun(), ElementsAre("try 2", "begin", "try 9", "try 2#2", "try 1"));
  EXPECT_TRUE(status(failed).ok());
  EXPECT_EQ(failed.deaths, 1);
  EXPECT_TRUE(status(next).ok());
  EXPECT_EQ(next.deaths, 0);
  EXPECT_EQ(next.attempt, 1);
}

TEST_F(PoolTest, LoadedInstancesAreLoadedIntoAFreshWorkerWhenTheyAreNeeded) {
  begin();
  load(1);
  load(2);
  const double before = time_of(1);
  ends("try 3", Received::End::died);
  pool().run(try_of(3));
  script_.take_begun();
  EXPECT_NEAR(time_of(1), before, 0.1 * before);
  EXPECT_NEAR(time_of(1), before, 0.1 * before);
  EXPECT_TRUE(std::holds_alternative<Done>(pool().run(Release{2}).answer)) << "which the fresh worker does not know";
  EXPECT_THAT(script_.take_begun(), ElementsAre("load 1", "rounds 1", "rounds 1", "release 2"));
}

TEST_F(PoolTest, AnInstanceThatDiesWhileItIsLoadedAgainHasASecondChance) {
  begin();
  load(1);
  for (const bool dies_twice : {false, true}) {
    ends("try 3", Received::End::died);
    pool().run(try_of(3));
    script_.ends = [=](const std::string& job, int) {
      const bool dies = job == "load 1" || (dies_twice && job.starts_with("load 1"));
      return dies ? Received::End::died : Received::End::replied;
    };
    const Result result = pool().run(Rounds{{1}, {1, 0}});
    EXPECT_EQ(status(result).ok(), !dies_twice) << status(result).detail;
    if (!dies_twice) continue;
    EXPECT_EQ(result.deaths, 2);
    EXPECT_EQ(result.failed, 1u);
  }
}

TEST_F(PoolTest, ALoadedInstanceThatDiesIsTriedOnceMore) {
  begin();
  load(1);
  script_.take_begun();
  ends("rounds 1 1", Received::End::died);
  const Result result = pool().run(Rounds{{1, 1}, {1, 0}});
  EXPECT_THAT(script_.take_begun(), ElementsAre("rounds 1 1", "begin", "try 9", "load 1#2", "rounds 1 1"));
  EXPECT_TRUE(status(result).ok());
  EXPECT_EQ(result.deaths, 1);
  EXPECT_EQ(result.attempt, 2);
  ends("check 1", Received::End::died);
  const Result again = pool().run(CheckAgain{1, false});
  EXPECT_EQ(status(again).verdict, Verdict::fault) << "its second death, though in another job";
  EXPECT_EQ(again.deaths, 2);
  EXPECT_EQ(again.failed, 1u);
}

TEST_F(PoolTest, ADeathAmongSeveralBlamesNone) {
  begin();
  load(1);
  load(2);
  const double one = time_of(1), other = time_of(2);
  script_.take_begun();
  ends("rounds 1 2 1", Received::End::died);
  const Result result = pool().run(Rounds{{1, 2, 1}, {1, 0}});
  EXPECT_THAT(script_.take_begun(),
              ElementsAre("rounds 1 2 1", "begin", "try 9", "load 1", "rounds 1 1", "load 2", "rounds 2"));
  ASSERT_EQ(samples(result).size(), 3u) << status(result).detail;
  EXPECT_NEAR(samples(result)[0], one, 0.1 * one);
  EXPECT_NEAR(samples(result)[1], other, 0.1 * other);
  EXPECT_NEAR(samples(result)[2], one, 0.1 * one);
  EXPECT_FALSE(result.failed);
  EXPECT_EQ(result.deaths, 0);
  EXPECT_GT(result.lost_seconds, 0);
  EXPECT_THAT(result.notes, ElementsAre(HasSubstr(configuration(2).text())));
  EXPECT_EQ(samples(pool().run(Rounds{{1, 2}, {1, 0}})).size(), 2u);
  EXPECT_THAT(script_.take_begun(), ElementsAre("rounds 1", "rounds 2")) << "they stay apart";
}

TEST_F(PoolTest, TheInstanceThatDiesAloneAfterADeathAmongSeveralIsBlamed) {
  begin();
  load(1);
  load(2);
  script_.ends = [](const std::string& job, int) {
    return job == "rounds 1 2 1" || job == "rounds 2" ? Received::End::died : Received::End::replied;
  };
  const Result result = pool().run(Rounds{{1, 2, 1}, {1, 0}});
  EXPECT_EQ(status(result).verdict, Verdict::fault);
  EXPECT_THAT(status(result).detail, HasSubstr("as the test says"));
  EXPECT_EQ(result.failed, 2u);
  EXPECT_EQ(result.deaths, 2);
  EXPECT_EQ(pool().replaced(), 2);
  EXPECT_EQ(samples(pool().run(Rounds{{1, 1}, {1, 0}})).size(), 2u);
}

TEST_F(PoolTest, AnInstanceThatIsSampledApartHasASecondChanceTooAndNoThird) {
  begin();
  for (const InstanceId id : {1, 2, 3}) load(id);
  ends("rounds 1 2", Received::End::died);
  pool().run(Rounds{{1, 2}, {1, 0}});
  ends("rounds 3", Received::End::died);
  const Result result = pool().run(Rounds{{1, 3}, {1, 0}});
  EXPECT_EQ(samples(result).size(), 2u) << status(result).detail;
  ends("rounds 3", Received::End::died);
  const Result again = pool().run(Rounds{{1, 3}, {1, 0}});
  EXPECT_EQ(again.failed, 3u) << "its deaths add up: what kills after many samples survives a few";
  EXPECT_EQ(again.deaths, 2);
}

TEST_F(PoolTest, DeathsOfAConfigurationAddUpOverItsInstances) {
  begin();
  ends("try 1", Received::End::died);
  EXPECT_TRUE(status(pool().run(try_of(1))).ok());
  load(11);
  ends("rounds 11", Received::End::died);
  const Result result = pool().run(Rounds{{11}, {1, 0}});
  EXPECT_EQ(status(result).verdict, Verdict::fault);
  EXPECT_EQ(result.deaths, 2);
  EXPECT_EQ(result.failed, 11u);
}

TEST_F(PoolTest, AConfigurationThatHasItsVerdictIsNotLoadedAgain) {
  begin();
  load(1);
  load(2);
  ends("rounds 1", Received::End::died, every_time);
  std::vector<Ticket> tickets;
  script_.hold("rounds 1");
  for (int i = 0; i < 4; ++i) tickets.push_back(pool().submit(Rounds{{1}, {1, 0}}));
  tickets.push_back(pool().submit(Rounds{{1, 2}, {1, 0}}));
  script_.release();
  for (const Ticket ticket : tickets) {
    const Result result = pool().wait(ticket);
    EXPECT_EQ(status(result).verdict, Verdict::fault);
    EXPECT_EQ(result.deaths, 2);
    EXPECT_EQ(result.failed, 1u);
  }
  EXPECT_EQ(pool().replaced(), 2);
  EXPECT_GT(time_of(2), 0);
}

// What kills after many samples survives the few of one more attempt: where all do, the death counts.
TEST_F(PoolTest, ADeathAmongSeveralCountsUnlessAnotherInstanceDiesAlone) {
  for (const bool is_found : {true, false}) {
    pool_.reset();
    script_.ends = nullptr;
    begin();
    load(1);
    load(2);
    script_.ends = [=](const std::string& job, int) {
      return job == "rounds 1 2" || (is_found && job == "rounds 2") ? Received::End::died : Received::End::replied;
    };
    EXPECT_EQ(status(pool().run(Rounds{{1, 2}, {1, 0}})).ok(), !is_found);
    ends("rounds 1", Received::End::died);
    const Result result = pool().run(Rounds{{1}, {1, 0}});
    EXPECT_EQ(status(result).ok(), is_found) << status(result).detail;
    EXPECT_EQ(result.deaths, is_found ? 1 : 2);
  }
}

TEST_F(PoolTest, ResultsNameTheWorkerThatMadeThem) {
  begin();
  const Result first = pool().run(try_of(1));
  EXPECT_EQ(first.worker, 1);
  EXPECT_GT(first.made_ms, 1'700'000'000'000);
  ends("try 3", Received::End::died);
  EXPECT_EQ(pool().run(try_of(3)).worker, 2);
  script_.ends = nullptr;
  begin();
  EXPECT_EQ(pool().run(try_of(1)).worker, 1) << "counted from the problem's begin";
}

// The next job is in the worker already when the first one turns out to be no answer.
TEST_F(PoolTest, SamplesOfSeveralThatCannotBeAreTakenAgainAndNoneIsTheNextJobs) {
  for (const bool fewer : {true, false}) {
    pool_.reset();
    script_.change = nullptr;
    begin();
    load(1);
    load(2);
    const double one = time_of(1), other = time_of(2);
    script_.hold("rounds 1 2");
    script_.change = [=, once = false](const Job& job, Reply& reply) mutable {
      auto* const sampled = std::get_if<RoundsSampled>(&reply.answer);
      if (name_of(job) != "rounds 1 2" || std::exchange(once, true)) return;
      if (fewer) sampled->samples_ns.pop_back();
      if (!fewer) sampled->samples_ns.back() = 0;
    };
    const Ticket first = pool().submit(Rounds{{1, 2}, {1, 0}}), second = pool().submit(Rounds{{2, 1}, {1, 0}});
    script_.wait_until_begun("rounds 1 2");
    script_.release();
    const Result again = pool().wait(first), next = pool().wait(second);
    ASSERT_EQ(samples(again).size(), 2u) << status(again).detail;
    ASSERT_EQ(samples(next).size(), 2u) << status(next).detail;
    EXPECT_NEAR(samples(again)[0], one, 0.1 * one);
    EXPECT_NEAR(samples(next)[0], other, 0.1 * other);
    EXPECT_EQ(pool().replaced(), 0);
  }
}

TEST_F(PoolTest, ADeathOfAReleaseIsNotTheNextJobs) {
  begin();
  load(1);
  ends("release 1", Received::End::died);
  pool().submit(Release{1});
  const Result next = pool().wait(pool().submit(try_of(2)));
  EXPECT_TRUE(status(next).ok());
  EXPECT_EQ(next.deaths, 0);
  EXPECT_EQ(pool().replaced(), 1);
}

TEST_F(PoolTest, TheFirstWorkerMayDieOfTheReferenceOnce) {
  script_.ends = [](const std::string& job, int worker) {
    return job == "begin" && worker == 1 ? Received::End::died : Received::End::replied;
  };
  begin();
  EXPECT_EQ(pool().replaced(), 1);
  EXPECT_TRUE(status(pool().run(try_of(1))).ok());
}

TEST_F(PoolTest, AReferenceThatKillsTwoWorkersIsAnError) {
  ends("begin", Received::End::died, every_time);
  EXPECT_THAT(error_of([&] { begin(); }), HasSubstr("two device workers died"));
  EXPECT_EQ(script_.workers, 2);
}

TEST_F(PoolTest, WithoutAProcessOfItsOwnAStickyStatusIsDeliveredAtOnce) {
  script_.isolates = false;
  begin();
  script_.change = [](const Job&, Reply& reply) {
    if (auto* tried = std::get_if<Tried>(&reply.answer)) tried->status = {Verdict::fault, "700", true};
  };
  const Result result = pool().run(try_of(2));
  EXPECT_TRUE(status(result).sticky);
  EXPECT_EQ(result.deaths, 1);
  EXPECT_FALSE(pool().isolates());
  EXPECT_THAT(script_.take_begun(), ElementsAre("try 2"));
}

TEST_F(PoolTest, EndsAtOnceWhateverItIsAt) {
  begin();
  script_.ends = [](const std::string& job, int) {
    return job == "try 2" ? Received::End::died : Received::End::replied;
  };
  script_.hangs = [](const std::string& job, int worker) { return job == "try 2#2" || worker > 2; };
  pool().submit(try_of(2));
  script_.wait_until_begun("try 2#2");
  const auto begin = std::chrono::steady_clock::now();
  pool_.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
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

}  // namespace
}  // namespace attune
