// Pearson's chi-square test of counts against expected shares, for samples that ought to be uniform.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

namespace attune {

// Fails where counts like these, or less likely ones, come by chance once in 10^6 times. `weights` are in proportion to
// what is expected. Cells of which fewer than 5 are expected are counted together.
inline testing::AssertionResult is_plausible(const std::vector<std::uint64_t>& counts,
                                             const std::vector<double>& weights) {
  constexpr double least_expected = 5, normal_quantile = 4.753424;
  const auto drawn = static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}));
  const double whole = std::accumulate(weights.begin(), weights.end(), 0.0);
  double statistic = 0, rare_expected = 0, rare_count = 0;
  int cells = 0;
  const auto add = [&](double count, double expected) {
    statistic += (count - expected) * (count - expected) / expected;
    ++cells;
  };
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double expected = weights[i] / whole * drawn;
    if (weights[i] == 0 && counts[i] > 0) return testing::AssertionFailure() << "cell " << i << " cannot occur";
    if (expected >= least_expected) {
      add(static_cast<double>(counts[i]), expected);
    } else {
      rare_expected += expected;
      rare_count += static_cast<double>(counts[i]);
    }
  }
  if (rare_expected >= least_expected) add(rare_count, rare_expected);
  if (cells < 2) return testing::AssertionSuccess();
  const double freedom = cells - 1;
  // The quantile by Wilson and Hilferty.
  const double spread = 2 / (9 * freedom), root = 1 - spread + normal_quantile * std::sqrt(spread);
  const double limit = freedom * root * root * root;
  if (statistic <= limit) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "chi-square " << statistic << " of " << cells << " cells exceeds " << limit;
}

}  // namespace attune
