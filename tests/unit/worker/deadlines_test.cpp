#include "worker/deadlines.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include "unit/worker/pool_fixture.hpp"

namespace attune {
namespace {

TEST(Deadlines, FollowTheAnchor) {
  Deadlines deadlines;
  const Load load{};
  EXPECT_EQ(deadlines.of(load), 61) << "while no launch is known";
  deadlines.anchor_seconds = 1e-3;  // 50 ms would be too little for any machine
  EXPECT_EQ(deadlines.of(load), 3);
  deadlines.anchor_seconds = 1;
  EXPECT_EQ(deadlines.of(load), 51);
}

TEST(Deadlines, GrowWithWhatAJobLaunches) {
  Deadlines deadlines;
  deadlines.anchor_seconds = 1;
  const TimingPlan plan{.count = 3, .batch = 2};
  constexpr double beside = 3 * Deadlines::beside_sample_seconds;
  EXPECT_DOUBLE_EQ(deadlines.of(Try{{}, plan}), 8 * 50 + 2 + beside) << "two checks, three samples of two launches";
  EXPECT_DOUBLE_EQ(deadlines.of(Rounds{{1, 2, 1}, plan}), 50 + 6 * 50 + 1 + beside) << "one of them may hang";
  EXPECT_DOUBLE_EQ(deadlines.of(Try{{}, {.count = 3, .most = 24, .batch = 2}}),
                   8 * 50 + 2 + 21 * 2 * 2 + 24 * Deadlines::beside_sample_seconds)
      << "further samples are of what does not hang";
  EXPECT_EQ(deadlines.of(CheckAgain{1, false}), 50 + 1);
  EXPECT_EQ(deadlines.of(CheckAgain{1, true}), 3 * 50 + 3);
  EXPECT_EQ(deadlines.of(Meter{1, plan, 2, 5}), 4 * 50 + 2 + 5 + 1);
  EXPECT_EQ(deadlines.of(Load{{}, {.milliseconds = 200'000}}), 50 + 1 + 200);
}

TEST(Deadlines, GrowWithWhatDataTake) {
  Deadlines deadlines;
  deadlines.begin_seconds = 10;
  EXPECT_EQ(deadlines.of(Load{}), 60 + 1 + 30);
  EXPECT_EQ(deadlines.of(Begin{}), 900) << "the reference is the simplest kernel";
}

TEST(Deadlines, AUsersLimitStandsWhateverTheAnchorTakes) {
  setenv("ATTUNE_LAUNCH_LIMIT", "0.5", 1);
  Deadlines deadlines;
  unsetenv("ATTUNE_LAUNCH_LIMIT");
  EXPECT_EQ(deadlines.of(Load{}), 1.5);
  deadlines.anchor_seconds = 1;
  EXPECT_EQ(deadlines.of(Load{}), 1.5);
  EXPECT_DOUBLE_EQ(deadlines.of(Try{{}, {.count = 3}}), 5 * 0.5 + 2 + 3 * Deadlines::beside_sample_seconds);
}

TEST(Deadlines, ForgiveWorkOfTheMachineThatItWaitsForProcessors) {
  Deadlines deadlines;
  EXPECT_TRUE(deadlines.limit(Begin{}).forgives_waiting) << "data";
  EXPECT_TRUE(deadlines.limit(OpenDevice{}).forgives_waiting);
  const Job launches[] = {Load{}, Try{}, Rounds{{device_copy}, {}}, CheckAgain{1, false}, Meter{1, {}, 1, 1}};
  for (const Job& job : launches) EXPECT_FALSE(deadlines.limit(job).forgives_waiting) << "of a GPU, which hangs";
  deadlines.on_host = true;
  for (const Job& job : launches) EXPECT_TRUE(deadlines.limit(job).forgives_waiting);
  EXPECT_EQ(deadlines.limit(Load{}).seconds, deadlines.of(Load{}));
  deadlines.user_seconds = 1;
  for (const Job& job : launches) EXPECT_FALSE(deadlines.limit(job).forgives_waiting) << "a user's limit";
}

TEST(Deadlines, ADriverThatCompilesWhenItLoadsHasTimeForIt) {
  Load load;
  load.launch.steps.image.architecture = "compute_90";
  EXPECT_EQ(Deadlines{}.of(load), 61 + 60);
}

TEST_F(PoolTest, DeadlinesFollowTheKnownGoodJob) {
  begin();
  pool().run(try_of(1));
  EXPECT_NEAR(script_.limits.at("try 1"), 62, 2);
  pool().set_known_good(KnownGood{try_of(9), 1e-3});
  pool().run(try_of(1));
  EXPECT_NEAR(script_.limits.at("try 1"), 4, 2);
}

}  // namespace
}  // namespace attune
