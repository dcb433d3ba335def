#include "measure/screen.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace attune {
namespace {

const Protocol screen_protocol;

// Samples of one kind until no more are wanted: how many.
template <typename Next>
int taken(const TimingPlan& plan, Next next) {
  std::vector<double> samples;
  for (int wanted = 1; wanted > 0; wanted = samples_wanted(samples, plan))
    for (int i = 0; i < wanted; ++i) samples.push_back(next(samples.size()));
  return static_cast<int>(samples.size());
}

TEST(Screen, TakesTheLeastWhereSamplesHardlyScatter) {
  EXPECT_EQ(taken(screen_plan(0, 0, screen_protocol), [](std::size_t) { return 1e6; }),
            1 + screen_protocol.screen_samples);
  EXPECT_EQ(taken(screen_plan(1e6, 1e4, screen_protocol), [](std::size_t) { return 1e6; }),
            1 + screen_protocol.screen_samples)
      << "1 % of scatter";
}

TEST(Screen, OneSampleEndsAHopelessConfigurationHoweverShort) {
  const auto wanted = [](double sample_ns, double best_ns) {
    return samples_wanted(std::vector<double>{sample_ns}, screen_plan(best_ns, 0, screen_protocol));
  };
  EXPECT_EQ(samples_wanted({}, screen_plan(1e6, 0, screen_protocol)), 1);
  EXPECT_EQ(wanted(2.1e6, 1e6), 0);
  EXPECT_EQ(wanted(1.9e6, 1e6), screen_protocol.screen_samples);
  EXPECT_EQ(wanted(11e3, 5e3), 0);
}

// 8 % at 5 us, as the anchor shows: the median of 11 has a standard error of 3 %. The same scatter is less of 20 us.
TEST(Screen, TheAnchorsScatterAsksForMoreSamplesOfAShortKernel) {
  const TimingPlan plan = screen_plan(0, 400, screen_protocol);
  EXPECT_EQ(taken(plan, [](std::size_t) { return 5e3; }), 1 + 12);
  EXPECT_EQ(taken(plan, [](std::size_t) { return 20e3; }), 1 + screen_protocol.screen_samples);
  EXPECT_EQ(taken(plan, [](std::size_t) { return 1e3; }), 1 + screen_protocol.screen_samples_most);
}

TEST(Screen, ItsOwnScatterAsksForMoreSamples) {
  const TimingPlan plan = screen_plan(0, 0, screen_protocol);
  const int of_scatter = taken(plan, [](std::size_t i) { return i % 2 == 0 ? 94.0 : 106.0; });
  EXPECT_GT(of_scatter, 1 + screen_protocol.screen_samples);
  EXPECT_LT(of_scatter, 1 + screen_protocol.screen_samples_most);
  EXPECT_EQ(taken(plan, [](std::size_t i) { return i % 2 == 0 ? 50.0 : 150.0; }),
            1 + screen_protocol.screen_samples_most);
}

TEST(Screen, BatchesOfAStreamLastAMillisecondOrAFewLaunches) {
  EXPECT_EQ(batch_for(10e3, screen_protocol), 100);
  EXPECT_EQ(batch_for(20e3, screen_protocol), 50);
  EXPECT_EQ(batch_for(200e3, screen_protocol), 50) << "10 ms";
  EXPECT_EQ(batch_for(1e6, screen_protocol), 20) << "20 ms";
  EXPECT_EQ(batch_for(1e9, screen_protocol), 2);
  EXPECT_EQ(batch_for(1, screen_protocol), screen_protocol.batch_most);
}

TEST(Screen, TheFirstSampleCountsOnlyWhenItIsAlone) {
  const std::vector<double> one{5};
  const std::vector<double> more{5, 1, 2};
  EXPECT_EQ(counted_samples(one).size(), 1u);
  EXPECT_EQ(counted_samples(more).front(), 1);
}

}  // namespace
}  // namespace attune
