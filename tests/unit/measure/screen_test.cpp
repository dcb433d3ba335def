#include "measure/screen.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace attune {
namespace {

const Protocol default_protocol;

TEST(Screen, TakesTheFullSetWhileNothingIsKnown) {
  std::vector<double> samples;
  while (samples_wanted(samples, screen_plan(0, default_protocol)) > 0) samples.push_back(1e6);
  EXPECT_EQ(samples.size(), static_cast<std::size_t>(1 + default_protocol.screen_samples));
}

TEST(Screen, OneSampleEndsAHopelessConfigurationAndShortKernelsGetABenefitOfDoubt) {
  const auto wanted = [](double sample_ns, double best_ns) {
    return samples_wanted(std::vector<double>{sample_ns}, screen_plan(best_ns, default_protocol));
  };
  EXPECT_EQ(samples_wanted({}, screen_plan(1e6, default_protocol)), 1);
  EXPECT_EQ(wanted(2.1e6, 1e6), 0);
  EXPECT_EQ(wanted(1.9e6, 1e6), default_protocol.screen_samples);
  EXPECT_GT(wanted(30e3, 10e3), 0);
  EXPECT_EQ(wanted(41e3, 10e3), 0);
  EXPECT_GT(wanted(50e3, 19e3), 0);
  EXPECT_EQ(wanted(50e3, 21e3), 0) << "short no more";
}

TEST(Screen, ShortKernelsAreTimedInBatchesOfAMillisecond) {
  EXPECT_EQ(batch_for(20e3, default_protocol), 1);
  EXPECT_EQ(batch_for(10e3, default_protocol), 100);
  EXPECT_EQ(batch_for(19.9e3, default_protocol), 51);
  EXPECT_EQ(batch_for(1, default_protocol), default_protocol.batch_most);
}

TEST(Screen, TheFirstSampleCountsOnlyWhenItIsAlone) {
  const std::vector<double> one{5};
  const std::vector<double> more{5, 1, 2};
  EXPECT_EQ(counted_samples(one).size(), 1u);
  EXPECT_EQ(counted_samples(more).front(), 1);
}

}  // namespace
}  // namespace attune
