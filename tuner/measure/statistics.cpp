#include "measure/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace attune {
namespace {

double quantile_of_sorted(std::span<const double> sorted, double q) {
  const double position = q * static_cast<double>(sorted.size() - 1);
  const std::size_t below = static_cast<std::size_t>(position);
  if (below + 1 >= sorted.size()) return sorted.back();
  const double weight = position - static_cast<double>(below);
  return sorted[below] + weight * (sorted[below + 1] - sorted[below]);
}

// Returns the quantile of values in any order, and changes their order. Takes linear time, since rounds are evaluated
// again and again.
double quantile_of(std::vector<double>& values, double q) {
  const double position = q * static_cast<double>(values.size() - 1);
  const auto below = values.begin() + static_cast<std::ptrdiff_t>(position);
  std::nth_element(values.begin(), below, values.end());
  if (below + 1 == values.end()) return *below;
  const double above = *std::min_element(below + 1, values.end());
  return *below + (position - static_cast<double>(below - values.begin())) * (above - *below);
}

std::vector<double> sorted_copy(std::span<const double> samples) {
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

// Returns the largest k for which P(Binomial(n, 1/2) < k) <= `tail`; 0 when there is none.
std::size_t lower_rank(std::size_t n, double tail) {
  double log_probability = -static_cast<double>(n) * std::numbers::ln2;  // of 0 successes; 2^-n may underflow
  double cumulative = 0;
  std::size_t k = 0;
  while (k < n && cumulative + std::exp(log_probability) <= tail) {
    cumulative += std::exp(log_probability);
    log_probability += std::log(static_cast<double>(n - k) / static_cast<double>(k + 1));
    ++k;
  }
  return k;
}

}  // namespace

double quantile(std::span<const double> samples, double q) {
  std::vector<double> values(samples.begin(), samples.end());
  return quantile_of(values, q);
}

double median(std::span<const double> samples) { return quantile(samples, 0.5); }
double median_of_moved(std::vector<double>& values) { return quantile_of(values, 0.5); }

Measurement summarise(std::vector<double> samples_ns) {
  Measurement measurement;
  if (samples_ns.empty()) return measurement;
  const std::vector<double> sorted = sorted_copy(samples_ns);
  measurement.min_ns = sorted.front();
  measurement.q1_ns = quantile_of_sorted(sorted, 0.25);
  measurement.median_ns = quantile_of_sorted(sorted, 0.5);
  measurement.q3_ns = quantile_of_sorted(sorted, 0.75);
  measurement.samples_ns = std::move(samples_ns);
  return measurement;
}

double expected_half_width(std::span<const double> samples) {
  constexpr double two_sided95 = 1.959964;  // standard deviations
  constexpr double around = 1.0 / 3;        // of the samples
  std::vector<double> values(samples.begin(), samples.end());
  const double width = quantile_of(values, 0.5 + around / 2) - quantile_of(values, 0.5 - around / 2);
  return two_sided95 * width / around / 2 / std::sqrt(static_cast<double>(values.size()));
}

double relative_scatter(std::span<const double> samples) {
  constexpr double quartiles_apart = 1.349;  // standard deviations
  std::vector<double> values(samples.begin(), samples.end());
  const double width = quantile_of(values, 0.75) - quantile_of(values, 0.25), typical = quantile_of(values, 0.5);
  return typical > 0 ? width / quartiles_apart / typical : 0;
}

int samples_for(double relative_scatter, double error, int least, int most) {
  if (error <= 0) return least;
  const double ratio = relative_scatter / error;
  return static_cast<int>(std::clamp<double>(std::ceil(std::numbers::pi / 2 * ratio * ratio), least, most));
}

Interval median_interval(std::span<const double> samples, double confidence) {
  std::vector<double> values(samples.begin(), samples.end());
  const std::size_t rank = std::max<std::size_t>(lower_rank(values.size(), (1 - confidence) / 2), 1);  // 0: the range
  const auto low = values.begin() + static_cast<std::ptrdiff_t>(rank - 1);
  const auto high = values.end() - static_cast<std::ptrdiff_t>(rank);
  std::nth_element(values.begin(), low, values.end());
  const double least = *low;
  std::nth_element(values.begin(), high, values.end());
  return {least, *high};
}

}  // namespace attune
