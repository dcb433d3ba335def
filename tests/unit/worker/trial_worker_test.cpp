// The coordinator's side of a device worker: what is asked, and whose fault a death is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "attune/error.hpp"
#include "unit/worker/trial_worker_fixture.hpp"

namespace attune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST_F(TrialWorkerTest, ChecksSamplesAndReleases) {
  const TrialWorker::Checked checked = check(first(), 2);
  ASSERT_TRUE(checked.candidate) << checked.status.detail;
  EXPECT_EQ(transport_.attempt, 2);
  EXPECT_GT(worker().sample(*checked.candidate).nanoseconds, 2e6);
  EXPECT_TRUE(worker().recheck(*checked.candidate).status.ok());
  EXPECT_TRUE(worker().warm_up(*checked.candidate, {.milliseconds = 1}).ok());
  worker().release(*checked.candidate);
  worker().release(*checked.candidate);
  EXPECT_THAT(transport_.seen, ElementsAre("open", "begin", "load", "check", "sample", "recheck", "warm", "release"));
  EXPECT_EQ(worker().revivals(), 0);
}

TEST_F(TrialWorkerTest, EnergyThatCannotBeIsNone) {
  const TrialWorker::Checked checked = check(first(), 1);
  ASSERT_TRUE(checked.candidate);
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinite = std::numeric_limits<double>::infinity();
  for (const LaunchEnergy& lie :
       {LaunchEnergy{nan, 0.1, 5, 50}, LaunchEnergy{-1, 0.1, 5, 50}, LaunchEnergy{0, 0.1, 5, 50},
        LaunchEnergy{infinite, 0.1, 5, 50}, LaunchEnergy{1, nan, 5, 50}, LaunchEnergy{1, -0.1, 5, 50},
        LaunchEnergy{1, infinite, 5, 50}}) {
    transport_.change = [&](Reply& reply) { reply.answer = MeteredEnergy{{}, lie}; };
    const TrialWorker::Metering metering = worker().meter(*checked.candidate, SamplePlan{}, 0, 0);
    EXPECT_EQ(metering.status.verdict, Verdict::unstable) << lie.joules << " " << lie.error;
    EXPECT_FALSE(metering.energy);
  }
  transport_.change = [](Reply& reply) { reply.answer = MeteredEnergy{{}, LaunchEnergy{1, 0.1, 5, 50}}; };
  EXPECT_TRUE(worker().meter(*checked.candidate, SamplePlan{}, 0, 0).energy);
  transport_.change = {};
}

TEST_F(TrialWorkerTest, ADeathIsAFaultThatTheNextTrialKnowsNothingOf) {
  worker();
  once("check", Heard::End::died);
  const TrialWorker::Checked died = check(first());
  EXPECT_EQ(died.status.verdict, Verdict::fault);
  EXPECT_TRUE(died.status.sticky);
  EXPECT_FALSE(died.candidate);
  EXPECT_THAT(died.status.detail, HasSubstr("as the test says"));
  EXPECT_TRUE(check(second()).candidate);
  EXPECT_EQ(worker().revivals(), 1);
  EXPECT_EQ(transport_.started(), 2);
}

TEST_F(TrialWorkerTest, ATrialIsAskedForAsAWholeAndThoughtBeside) {
  begin(first(), 3);
  EXPECT_EQ(transport_.seen.back(), "load");
  EXPECT_EQ(transport_.attempt, 3);
  transport_.seen.clear();
  int thought = 0;
  const TrialWorker::Tried tried = worker().finish_trial({3, 0}, {}, [&] { ++thought; });
  EXPECT_TRUE(tried.status.ok()) << tried.status.detail;
  EXPECT_EQ(tried.samples_ns.size(), 3u);
  EXPECT_EQ(thought, 1);
  EXPECT_THAT(transport_.seen, ElementsAre("check", "sample", "release"));
}

TEST_F(TrialWorkerTest, AHopelessFirstSampleIsTheLast) {
  begin(first());
  EXPECT_EQ(worker().finish_trial({3, 1}, {}, {}).samples_ns.size(), 1u);
  begin(first());
  EXPECT_EQ(worker().finish_trial({3, 1e12}, {}, {}).samples_ns.size(), 3u);
}

TEST_F(TrialWorkerTest, WhateverItDiesOfIsTheTrialsAndTheNextKnowsNothingOfIt) {
  int revivals = 0;
  for (const std::string request : {"load", "check", "sample"}) {
    worker();
    once(request, Heard::End::died);
    const TrialWorker::Tried died = try_out(first());
    EXPECT_EQ(died.status.verdict, Verdict::fault) << request;
    EXPECT_TRUE(died.status.sticky);
    const TrialWorker::Tried next = try_out(second());
    EXPECT_TRUE(next.status.ok()) << request << ": " << next.status.detail;
    EXPECT_EQ(next.samples_ns.size(), 3u);
    EXPECT_EQ(worker().revivals(), ++revivals) << request;
  }
}

TEST_F(TrialWorkerTest, ATrialThatFailsIsAskedNoFurtherAndTheWorkerLives) {
  transport_.change = [](Reply& reply) {
    if (auto* sampled = std::get_if<Sampled>(&reply.answer)) *sampled = {{Verdict::launch_error, "701", false}, {1e6}};
  };
  const TrialWorker::Tried failed = try_out(first());
  EXPECT_EQ(failed.status.verdict, Verdict::launch_error);
  transport_.change = nullptr;
  EXPECT_TRUE(try_out(second()).status.ok());
  EXPECT_EQ(worker().revivals(), 0);
}

TEST_F(TrialWorkerTest, ADeathOfAReleaseIsNotTheNextTrials) {
  worker().release(check(first()).candidate.value());
  const auto one = check(second()).candidate.value();
  once("release", Heard::End::died);
  worker().release(one);
  begin(first());
  const TrialWorker::Checked checked = worker().finish_check();
  EXPECT_TRUE(checked.candidate) << checked.status.detail;
  EXPECT_EQ(worker().revivals(), 1);
}

TEST_F(TrialWorkerTest, GapsAreFilledWithSamplesOfAnother) {
  const auto one = check(first()).candidate.value();
  const double expected = worker().sample(one).nanoseconds;
  transport_.seen.clear();
  begin(second(), 1, {one, 3});
  const TrialWorker::Tried tried = worker().finish_trial({2, 0}, {one, 3}, {});
  EXPECT_TRUE(tried.status.ok()) << tried.status.detail;
  EXPECT_THAT(transport_.seen, ElementsAre("load", "fill", "check", "sample", "release", "fill"));
  // That of the second gap is heard when something else is wanted.
  std::vector<double> samples = worker().take_filling_samples();
  ASSERT_EQ(samples.size(), 1u);
  EXPECT_NEAR(samples[0], expected, 0.1 * expected);
  EXPECT_TRUE(worker().sample(one).status.ok());
  EXPECT_EQ(worker().take_filling_samples().size(), 1u);
  EXPECT_TRUE(worker().take_filling_samples().empty());
}

TEST_F(TrialWorkerTest, WhoDiesWhileAGapIsFilledIsNotTheTrialAroundIt) {
  const auto one = check(first()).candidate.value();
  once("fill", Heard::End::died);
  begin(second(), 1, {one, 3});
  EXPECT_TRUE(worker().finish_trial({2, 0}, {}, {}).status.ok());
  EXPECT_EQ(worker().revivals(), 1);
  // The fresh worker does not know it, and loads it for nobody's sake.
  transport_.seen.clear();
  begin(second(), 1, {one, 3});
  EXPECT_TRUE(worker().finish_trial({2, 0}, {one, 3}, {}).status.ok());
  EXPECT_THAT(transport_.seen, ElementsAre("load", "check", "sample", "release"));
  EXPECT_TRUE(worker().take_filling_samples().empty());
  // Nor the trial before or behind it.
  EXPECT_TRUE(worker().sample(one).status.ok());
  once("fill", Heard::End::died);
  EXPECT_TRUE(try_out(second(), {one, 3}).status.ok());
  EXPECT_TRUE(try_out(first()).status.ok());
  EXPECT_EQ(worker().revivals(), 2);
  // A device that is beyond use is known by its number.
  EXPECT_TRUE(worker().sample(one).status.ok());
  transport_.change = [once = false](Reply& reply) mutable {
    auto* const sampled = std::get_if<Sampled>(&reply.answer);
    if (sampled != nullptr && !std::exchange(once, true)) *sampled = {{Verdict::fault, "700", true}, {}};
  };
  begin(second(), 1, {one, 3});
  EXPECT_TRUE(worker().finish_trial({2, 0}, {}, {}).status.ok());
  EXPECT_EQ(worker().revivals(), 3);
}

TEST_F(TrialWorkerTest, SeveralAreSampledInTurnAtOnce) {
  const auto one = check(first()).candidate.value(), other = check(second()).candidate.value();
  const double expected = worker().sample(one).nanoseconds, of_other = worker().sample(other).nanoseconds;
  worker().expect_launch(expected);
  ASSERT_GT(std::abs(expected - of_other), 0.2 * expected);
  transport_.seen.clear();
  const double timed = worker().timed_seconds();
  const TrialWorker::InTurn all = worker().sample_in_turn(std::vector{one, other, one}, {});
  EXPECT_TRUE(all.status.ok()) << all.status.detail;
  ASSERT_EQ(all.nanoseconds.size(), 3u);
  EXPECT_NEAR(all.nanoseconds[0], expected, 0.1 * expected);
  EXPECT_NEAR(all.nanoseconds[1], of_other, 0.1 * of_other);
  EXPECT_NEAR(all.nanoseconds[2], expected, 0.1 * expected);
  EXPECT_NEAR(worker().timed_seconds() - timed, 1e-9 * (2 * expected + of_other), 0.1e-9 * expected);
  EXPECT_THAT(transport_.seen, ElementsAre("in turn"));
  EXPECT_TRUE(worker().sample_in_turn({}, {}).nanoseconds.empty());
}

// Nor where nobody knows how long they take, or that is long: a hang would be noticed late.
TEST_F(TrialWorkerTest, WhatTakesLongIsSampledOneByOne) {
  const auto one = check(first()).candidate.value(), other = check(second()).candidate.value();
  for (const double nanoseconds : {0.0, 40e6}) {
    worker().expect_launch(nanoseconds);
    transport_.seen.clear();
    EXPECT_EQ(worker().sample_in_turn(std::vector{one, other, one}, {}).nanoseconds.size(), 3u);
    EXPECT_THAT(transport_.seen, ElementsAre("sample", "sample", "sample"));
  }
  worker().expect_launch(30e6);
  EXPECT_EQ(worker().sample_in_turn(std::vector{one, other, one}, {}).nanoseconds.size(), 3u);
  EXPECT_EQ(transport_.seen.back(), "in turn");
  EXPECT_NEAR(transport_.deadline, 3 + 50 * 0.09, 0.1) << "as one launch, and for all of them";
}

// A death among several is nobody's; from then on it is known whose it is.
TEST_F(TrialWorkerTest, WhoFailsAmongSeveralIsFoundOneByOne) {
  const auto one = check(first()).candidate.value(), other = check(second()).candidate.value();
  worker().expect_launch(2e6);
  int samples = 0;
  transport_.ends = [&](const std::string& request, int) {
    const bool dies = request == "in turn" || (request == "sample" && ++samples == 2);
    return dies ? Heard::End::died : Heard::End::replied;
  };
  TrialWorker::InTurn all = worker().sample_in_turn(std::vector{one, other, one}, {});
  EXPECT_EQ(all.status.verdict, Verdict::fault);
  EXPECT_THAT(all.status.detail, HasSubstr("as the test says"));
  EXPECT_FALSE(all.failed);
  EXPECT_THAT(all.nanoseconds, testing::IsEmpty());
  EXPECT_TRUE(worker().samples_one_by_one());
  EXPECT_EQ(worker().names_of(std::vector{one, other, one}), first().text() + "; " + second().text());
  transport_.seen.clear();
  all = worker().sample_in_turn(std::vector{one, other, one}, {});
  EXPECT_EQ(all.status.verdict, Verdict::fault);
  EXPECT_EQ(all.failed, 1u);
  EXPECT_THAT(all.nanoseconds, testing::IsEmpty());
  EXPECT_EQ(worker().revivals(), 1);
  transport_.ends = nullptr;
  EXPECT_EQ(worker().sample_in_turn(std::vector{one, one}, {}).nanoseconds.size(), 2u);
  EXPECT_EQ(std::count(transport_.seen.begin(), transport_.seen.end(), "in turn"), 0);
}

// Fewer samples than were asked for, or one that cannot be.
TEST_F(TrialWorkerTest, AnAnswerOfSeveralThatCannotBeIsNone) {
  for (const bool fewer : {true, false}) {
    worker_.reset();
    const auto one = check(first()).candidate.value(), other = check(second()).candidate.value();
    worker().expect_launch(2e6);
    transport_.change = [=, once = false](Reply& reply) mutable {
      auto* const sampled = std::get_if<Sampled>(&reply.answer);
      if (sampled == nullptr || std::exchange(once, true)) return;
      if (fewer) sampled->samples_ns.pop_back();
      if (!fewer) sampled->samples_ns.back() = 0;
    };
    EXPECT_EQ(worker().sample_in_turn(std::vector{one, other}, {}).status.verdict, Verdict::unstable);
    const TrialWorker::InTurn all = worker().sample_in_turn(std::vector{one, other}, {});
    EXPECT_TRUE(all.status.ok()) << all.status.detail;
    EXPECT_EQ(all.nanoseconds.size(), 2u);
    EXPECT_EQ(worker().revivals(), 0);
  }
}

// What stands behind a sample that failed is heard before the next are asked for: who dies of it is loaded once more.
TEST_F(TrialWorkerTest, ADeathBehindASampleThatFailedIsNotTheNextOnes) {
  const auto one = check(first()).candidate.value(), other = check(second()).candidate.value();
  transport_.change = [once = false](Reply& reply) mutable {
    auto* const sampled = std::get_if<Sampled>(&reply.answer);
    if (sampled != nullptr && !std::exchange(once, true)) *sampled = {{Verdict::launch_error, "701", false}, {}};
  };
  int samples = 0;
  transport_.ends = [&](const std::string& request, int) {
    return request == "sample" && ++samples == 2 ? Heard::End::died : Heard::End::replied;
  };
  EXPECT_EQ(worker().sample_in_turn(std::vector{one, one, other}, {}).failed, 0u);
  const TrialWorker::InTurn next = worker().sample_in_turn(std::vector{other, other}, {});
  EXPECT_TRUE(next.status.ok()) << next.status.detail;
  EXPECT_EQ(worker().revivals(), 1);
}

TEST_F(TrialWorkerTest, WhatWasBegunAndNotFinishedDisturbsNothing) {
  const auto one = check(first()).candidate.value();
  const double expected = worker().sample(one).nanoseconds;
  begin(second());
  EXPECT_NEAR(worker().sample(one).nanoseconds, expected, 0.1 * expected);
  EXPECT_TRUE(worker().finish_check().candidate);
  begin(second());
  EXPECT_TRUE(check(second()).candidate);
  begin(second());
  worker().forget();
  EXPECT_EQ(transport_.seen.back(), "release");
  EXPECT_EQ(worker().revivals(), 0);
  // Nor a fresh worker.
  begin(second(), 1, {one, 2});
  worker().revive();
  EXPECT_NEAR(worker().sample(one).nanoseconds, expected, 0.1 * expected);
  // Nor whoever asks this worker next.
  begin(second());
  worker().release(one);
  worker_.reset();
  EXPECT_TRUE(check(first()).candidate);
  EXPECT_THROW(
      {
        begin(second());
        worker().finish_trial({2, 0}, {}, [] { throw Error("the strategy fails"); });
      },
      Error);
  worker_.reset();
  EXPECT_TRUE(check(first()).candidate);
}

}  // namespace
}  // namespace attune
