// Order statistics of timing samples. Pure functions.
#pragma once

#include <span>
#include <vector>

#include "core/trial.hpp"

namespace attune {

// The q-quantile, 0 <= q <= 1, linear between order statistics (Hyndman and Fan 1996, type 7). Samples in any order,
// at least one.
double quantile(std::span<const double> samples, double q);
double median(std::span<const double> samples);

// Minimum, quartiles and median of `samples_ns`, in that measurement.
Measurement summarise(std::vector<double> samples_ns);

struct Interval {
  double low = 0, high = 0;
  bool contains(double value) const noexcept { return low <= value && value <= high; }
};

// Half of the 95 % interval that the median of samples so spread has: 1.96 / (2 f sqrt(n)), the density f at the median
// taken from the third of them that lies around it (Bloch and Gastwirth, Annals of Mathematical Statistics 39, 1968).
// What lies farther off does not count: where launches have two modes, ratios have three, and their scatter as a whole
// promises an interval twice as wide as it is. To say when to stop: the interval that was found is narrow by chance
// now and then, and stopping at those would be stopping at the luckiest moment.
double expected_half_width(std::span<const double> samples);

// The distribution-free confidence interval of the median from order statistics (binomial with p = 1/2; David and
// Nagaraja, Order Statistics, section 7.1). With too few samples (under 6 for 95 %, under 8 for 99 %) no such interval
// exists: the range is returned.
Interval median_interval(std::span<const double> samples, double confidence = 0.95);

}  // namespace attune
