// Medians and ratios, with their intervals, of times that were taken in turn. Pure.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "measure/protocol.hpp"
#include "measure/statistics.hpp"

namespace attune {

// A median with its 95 % interval.
struct Estimate {
  double value = 0;
  Interval interval;
};

// columns[c][r]: nanoseconds of column c in round r; all columns have equally many rounds.
using Columns = std::span<const std::vector<double>>;

// Returns the median and its interval. Needs at least one value.
Estimate estimate_of(std::span<const double> values);

// Returns the median of the paired ratios base / times: how many times as fast `times` is. Needs at least one round.
Estimate paired_speedup(std::span<const double> base, std::span<const double> times);

// Returns the median of the paired shares (to - from) / whole. An empty `from` counts as 0. Needs at least one round.
Estimate paired_share(std::span<const double> from, std::span<const double> to, std::span<const double> whole);

// Returns the largest half-width that the scatter promises for a 95 % interval of a paired log-ratio to the first
// column. If there is only one column, the half-width is that of the logarithm of its times.
double widest_of_ratios(Columns columns);

// Returns the largest such half-width of the steps' shares of the whole time. columns[k] has the times of one
// configuration up to step k.
double widest_of_shares(Columns columns);

}  // namespace attune
