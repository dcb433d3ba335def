// Order statistics of timing samples. Pure functions.
#pragma once

#include <span>
#include <vector>

#include "core/trial.hpp"

namespace attune {

// Returns the q-quantile, 0 <= q <= 1, linear between order statistics (Hyndman and Fan 1996, type 7). Needs at least
// one sample; samples may come in any order.
double quantile(std::span<const double> samples, double q);
double median(std::span<const double> samples);
// Returns the median. Changes the order of the values instead of copying them.
double median_of_moved(std::vector<double>& values);

// Returns a measurement with `samples_ns` and their minimum, quartiles and median.
Measurement summarise(std::vector<double> samples_ns);

struct Interval {
  double low = 0, high = 0;
  bool contains(double value) const noexcept { return low <= value && value <= high; }
};

// Returns half of the expected 95 % interval of the median: 1.96 / (2 f sqrt(n)). The density f at the median comes
// from the middle third of the samples (Bloch and Gastwirth, Annals of Mathematical Statistics 39, 1968). Other samples
// do not count, because launches with two modes give ratios with three, whose whole scatter would double the width. The
// expected width decides when to stop: an observed interval is sometimes narrow by chance, and stopping then would bias
// the result.
double expected_half_width(std::span<const double> samples);

// Returns the standard deviation of one sample, relative to the median. It follows from the quartiles, which are 1.349
// standard deviations apart if the scatter is normal. A few late samples hardly change it.
double relative_scatter(std::span<const double> samples);

// Returns how many samples bring the relative standard error of their median down to `error`, within the bounds `least`
// and `most`. If the scatter is normal, that error is sqrt(pi / 2) times the error of the mean (Kenney and Keeping,
// Mathematics of Statistics, 1962).
int samples_for(double relative_scatter, double error, int least, int most);

// Returns the distribution-free confidence interval of the median from order statistics, whose ranks are binomial with
// p = 1/2 (David and Nagaraja, Order Statistics, section 7.1). With too few samples (under 6 for 95 %, under 8 for 99
// %) it returns their range.
Interval median_interval(std::span<const double> samples, double confidence = 0.95);

}  // namespace attune
