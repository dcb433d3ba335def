#include "measure/interleaved.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace attune {
namespace {

using Times = std::vector<std::vector<double>>;

// Columns of these medians, whose rounds share a drift of up to 30 %; each sample scatters by `scatter` of its own.
Times drifting(const std::vector<double>& medians, std::size_t rounds, double scatter) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> own(1, scatter);
  Times columns(medians.size());
  for (std::size_t r = 0; r < rounds; ++r) {
    const double drift = 1 + 0.3 * std::sin(0.1 * static_cast<double>(r));
    for (std::size_t c = 0; c < medians.size(); ++c) columns[c].push_back(medians[c] * drift * own(random));
  }
  return columns;
}

TEST(Interleaved, ASpeedUpIsTheMedianOfPairedRatiosAndDriftsCancel) {
  const std::vector<double> base{100, 200, 400, 100, 100, 800, 100}, times{50, 100, 200, 50, 50, 400, 10};
  const Estimate exact = paired_speedup(base, times);
  EXPECT_DOUBLE_EQ(exact.value, 2);
  EXPECT_NEAR(exact.interval.low, 2, 1e-12);
  EXPECT_GE(exact.interval.high, 2);
  const Times columns = drifting({300, 200}, 400, 0.01);
  const Estimate found = paired_speedup(columns[0], columns[1]);
  EXPECT_TRUE(found.interval.contains(1.5)) << found.interval.low << " " << found.interval.high;
  EXPECT_LT(found.interval.high - found.interval.low, 0.01) << "though both drift by 30 %";
  const Estimate time = estimate_of(columns[0]);
  EXPECT_GT(time.interval.high - time.interval.low, 10) << "which the times themselves show";
}

TEST(Interleaved, AShareIsOfPairedDifferences) {
  const std::vector<double> one{20, 40, 60}, two{50, 100, 150}, whole{100, 200, 300};
  EXPECT_DOUBLE_EQ(paired_share({}, one, whole).value, 0.2);
  EXPECT_DOUBLE_EQ(paired_share(one, two, whole).value, 0.3);
  EXPECT_DOUBLE_EQ(paired_share(two, whole, whole).value, 0.5);
}

TEST(Interleaved, TheWidestOfTheColumnsCounts) {
  Times columns = drifting({300, 200}, 200, 0.001);
  const double quiet = widest_of_ratios(columns);
  columns.push_back(drifting({100}, 200, 0.05)[0]);
  EXPECT_LT(quiet, 0.001);
  EXPECT_GT(widest_of_ratios(columns), 5 * quiet);
  EXPECT_GT(widest_of_ratios(Columns(columns).first(1)), 0.01) << "alone, its own drift";
  const Times up_to = drifting({100, 300}, 200, 0.001), noisy = drifting({100, 200, 300}, 200, 0.05);
  EXPECT_LT(widest_of_shares(up_to), 0.001);
  EXPECT_GT(widest_of_shares(noisy), 5 * widest_of_shares(up_to));
  EXPECT_EQ(widest_of_shares(Columns(up_to).first(1)), 0) << "one step is the whole";
}

}  // namespace
}  // namespace attune
