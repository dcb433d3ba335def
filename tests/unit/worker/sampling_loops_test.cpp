#include "worker/sampling_loops.hpp"

#include <gtest/gtest.h>

namespace attune {
namespace {

struct HandClock : Instruments {
  double seconds() const override { return now; }
  double now = 100;
};

// Launches whose own clock tells 10 us, while each takes 50 ms.
TEST(SamplingLoops, WhatASampleLeavesOutTakesTimeToo) {
  HandClock clock;
  int launches = 0;
  const auto take = [&](int count) {
    launches += count;
    clock.now += 0.05 * count;
    return DeviceTimes{{}, std::vector<double>(static_cast<std::size_t>(count), 1e4)};
  };
  EXPECT_TRUE(sample_for(0.2, clock, 1, take, [](const LaunchCount&) {}).ok());
  EXPECT_GE(launches, 4);
  EXPECT_LE(launches, 10);
}

TEST(SamplingLoops, ShortSamplesAreTakenManyAtATime) {
  HandClock clock;
  int takes = 0;
  const auto take = [&](int count) {
    ++takes;
    clock.now += 1e-4 * count;
    return DeviceTimes{{}, std::vector<double>(static_cast<std::size_t>(count), 1e5)};
  };
  EXPECT_TRUE(sample_for(0.2, clock, 1, take, [](const LaunchCount&) {}).ok());
  EXPECT_EQ(takes, 3);  // of 1, 1000 and 1000
}

}  // namespace
}  // namespace attune
