#include "measure/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

namespace attune {
namespace {

void expect_interval(const std::vector<double>& samples, double low, double high) {
  EXPECT_DOUBLE_EQ(median_interval(samples).low, low);
  EXPECT_DOUBLE_EQ(median_interval(samples).high, high);
}

TEST(Statistics, QuantilesInterpolateBetweenOrderStatistics) {
  const std::vector<double> samples{4, 1, 3, 2}, one{7};
  EXPECT_DOUBLE_EQ(quantile(samples, 0), 1);
  EXPECT_DOUBLE_EQ(quantile(samples, 0.25), 1.75);
  EXPECT_DOUBLE_EQ(median(samples), 2.5);
  EXPECT_DOUBLE_EQ(summarise(samples).q1_ns, 1.75);
  EXPECT_DOUBLE_EQ(summarise(samples).median_ns, 2.5);
  EXPECT_DOUBLE_EQ(quantile(samples, 1), 4);
  EXPECT_DOUBLE_EQ(quantile(one, 0.25), 7);
  expect_interval(one, 7, 7);
}

TEST(Statistics, SummaryKeepsTheSamplesInTheirOrder) {
  const Measurement measurement = summarise({5, 1, 9});
  EXPECT_EQ(measurement.samples_ns, (std::vector<double>{5, 1, 9}));
  EXPECT_DOUBLE_EQ(measurement.min_ns, 1);
  EXPECT_DOUBLE_EQ(measurement.median_ns, 5);
  EXPECT_DOUBLE_EQ(measurement.q1_ns, 3);
  EXPECT_DOUBLE_EQ(measurement.q3_ns, 7);
  EXPECT_EQ(summarise({}).median_ns, 0);
}

TEST(Statistics, MedianIntervalUsesTheTabulatedOrderStatistics) {
  std::vector<double> samples(10'000);
  std::iota(samples.begin(), samples.end(), 1);
  // Close to the normal approximation: the median, 0.98 sqrt(n) ranks to either side.
  EXPECT_NEAR(median_interval(samples).low, 5000 - 98, 2);
  EXPECT_NEAR(median_interval(samples).high, 5000 + 98, 2);
  // From the tables of the sign test: for n = 10 the 2nd and the 9th, for n = 30 the 10th and the 21st.
  samples.resize(30);
  expect_interval(samples, 10, 21);
  samples.resize(10);
  expect_interval(samples, 2, 9);
  samples.resize(6);
  expect_interval(samples, 1, 6);
}

TEST(Statistics, MedianIntervalCoversTheMedianAsOftenAsItClaims) {
  std::mt19937_64 random(1);
  std::lognormal_distribution<double> noise(0, 1);  // its median is 1
  int covered = 0;
  constexpr int repeats = 4000;
  for (int i = 0; i < repeats; ++i) {
    std::vector<double> samples(30);
    for (double& sample : samples) sample = noise(random);
    covered += median_interval(samples).contains(1);
  }
  EXPECT_GE(covered, repeats * 94 / 100);
  EXPECT_LE(covered, repeats * 98 / 100);  // exact coverage for n = 30: 95.7 %
}

std::vector<double> normal_samples(std::size_t count, double mean, double deviation, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> noise(mean, deviation);
  std::vector<double> samples(count);
  for (double& sample : samples) sample = noise(random);
  return samples;
}

TEST(Statistics, ExpectedHalfWidthIsThatOfNormalSamplesAndKnowsNoTails) {
  std::vector<double> samples = normal_samples(4000, 5, 0.02, 2);
  const Interval found = median_interval(samples);
  const double expected = expected_half_width(samples);
  EXPECT_NEAR(expected, 1.96 * 1.2533 * 0.02 / std::sqrt(4000.0), 0.05 * expected);
  EXPECT_NEAR((found.high - found.low) / 2, expected, 0.2 * expected);
  for (std::size_t i = 0; i < samples.size(); i += 20) samples[i] *= 10;
  EXPECT_NEAR(expected_half_width(samples), expected, 0.15 * expected);
  EXPECT_DOUBLE_EQ(expected_half_width(std::vector<double>(9, 3.0)), 0);
}

// A third of the launches on an H200 takes 3.5 % more than the others: of the paired ratios half are 0 and a quarter
// lies to each side.
TEST(Statistics, ExpectedHalfWidthKeepsToTheModeInTheMiddle) {
  std::vector<double> samples = normal_samples(4000, 0, 0.008, 3);
  for (std::size_t i = 0; i < samples.size(); i += 4) {
    samples[i] += 0.035;
    samples[i + 1] -= 0.035;
  }
  const Interval found = median_interval(samples);
  EXPECT_NEAR(expected_half_width(samples), (found.high - found.low) / 2, 0.25 * (found.high - found.low) / 2);
}

}  // namespace
}  // namespace attune
