// Order statistics of timing samples. Pure functions.
#pragma once

#include <span>
#include <vector>

#include "core/trial.hpp"

namespace attune {

// Returns the q-quantile, 0 <= q <= 1, linear between order statistics (Hyndman and Fan 1996, type 7). Needs at least
// one sample; any order.
double quantile(std::span<const double> samples, double q);
double median(std::span<const double> samples);
// The same; it moves the values about instead of copying them.
double median_of_moved(std::vector<double>& values);

// Returns a measurement with `samples_ns` and their minimum, quartiles and median.
Measurement summarise(std::vector<double> samples_ns);

struct Interval {
  double low = 0, high = 0;
  bool contains(double value) const noexcept { return low <= value && value <= high; }
};

// Returns half of the expected 95 % interval of the median: 1.96 / (2 f sqrt(n)). The density f at the median comes
// from the middle third (Bloch and Gastwirth, Annals of Mathematical Statistics 39, 1968). Other samples do not count:
// launches with two modes give ratios with three, and their whole scatter doubles the width. It decides when to stop: a
// found interval is sometimes narrow by chance, and stopping then would bias the result.
double expected_half_width(std::span<const double> samples);

// Returns the standard deviation of one sample, relative to the median. It follows from the quartiles: where the
// scatter is normal, they are 1.349 standard deviations apart. A few late samples hardly change it.
double relative_scatter(std::span<const double> samples);

// Returns how many samples bring the relative standard error of their median down to `error`, within bounds. It is
// sqrt(pi / 2) of the mean's, where the scatter is normal (Kenney and Keeping, Mathematics of Statistics, 1962).
int samples_for(double relative_scatter, double error, int least, int most);

// Returns the distribution-free confidence interval of the median from order statistics. It is binomial with p = 1/2
// (David and Nagaraja, Order Statistics, section 7.1). With too few samples (under 6 for 95 %, under 8 for 99 %) it
// returns their range.
Interval median_interval(std::span<const double> samples, double confidence = 0.95);

}  // namespace attune
