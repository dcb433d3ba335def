#include "measure/energy.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace attune {
namespace {

// A counter at `watts` that moves every 0.1 s, read every 10 ms, over ten seconds.
std::vector<CounterReading> counter(double watts) {
  std::vector<CounterReading> readings;
  for (int i = 0; i <= 1000; ++i) readings.push_back({0.01 * i, watts * 0.1 * std::floor(0.1 * i + 1e-9)});
  return readings;
}

TEST(EnergyOfLaunch, IsCountedFromStepToStep) {
  // 1,000 launches a second, between 2 s and 7 s.
  const std::vector<LaunchCount> launched{{2, 0}, {4, 2000}, {7, 5000}};
  const auto energy = energy_of_launch(counter(300), launched, 10);
  ASSERT_TRUE(energy);
  EXPECT_NEAR(energy->joules, 0.3, 1e-6);
  EXPECT_NEAR(energy->seconds, 5, 0.11);
  EXPECT_NEAR(energy->steps, 49, 1);
  EXPECT_NEAR(energy->launches, 1000 * energy->seconds, 1e-6);
  EXPECT_NEAR(energy->error, 2 * 0.01 / 5, 1e-4);
}

TEST(EnergyOfLaunch, FollowsTheLaunchesWhereTheyChangeTheirPace) {
  const std::vector<LaunchCount> launched{{2, 0}, {4, 1000}, {7, 7000}};
  EXPECT_NEAR(energy_of_launch(counter(300), launched, 10)->joules, 300 * 5 / 7000.0, 1e-3);
}

TEST(EnergyOfLaunch, IsNoneWithTooFewSteps) {
  EXPECT_FALSE(energy_of_launch(counter(300), std::vector<LaunchCount>{{2, 0}, {2.5, 500}}, 10));
  EXPECT_FALSE(energy_of_launch(counter(0), std::vector<LaunchCount>{{2, 0}, {7, 500}}, 10)) << "it never moves";
  EXPECT_FALSE(energy_of_launch({}, std::vector<LaunchCount>{{2, 0}, {7, 500}}, 10));
  EXPECT_FALSE(energy_of_launch(counter(300), {}, 10));
  EXPECT_FALSE(energy_of_launch(counter(300), std::vector<LaunchCount>{{2, 0}, {7, 0}}, 10)) << "nothing was launched";
}

}  // namespace
}  // namespace attune
