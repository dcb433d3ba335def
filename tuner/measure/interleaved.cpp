#include "measure/interleaved.hpp"

#include <algorithm>
#include <cmath>

#include "measure/final_stage.hpp"

namespace attune {
namespace {

std::vector<double> log_ratios(std::span<const double> base, std::span<const double> times) {
  std::vector<double> ratios;
  for (std::size_t r = 0; r < std::min(base.size(), times.size()); ++r) ratios.push_back(std::log(base[r] / times[r]));
  return ratios;
}

std::vector<double> shares(std::span<const double> from, std::span<const double> to, std::span<const double> whole) {
  std::vector<double> made;
  for (std::size_t r = 0; r < std::min(to.size(), whole.size()); ++r)
    made.push_back((to[r] - (from.empty() ? 0 : from[r])) / whole[r]);
  return made;
}

}  // namespace

Estimate estimate_of(std::span<const double> values) { return {median(values), median_interval(values)}; }

Estimate paired_speedup(std::span<const double> base, std::span<const double> times) {
  const Estimate logarithm = estimate_of(log_ratios(base, times));
  return {std::exp(logarithm.value), {std::exp(logarithm.interval.low), std::exp(logarithm.interval.high)}};
}

Estimate paired_share(std::span<const double> from, std::span<const double> to, std::span<const double> whole) {
  return estimate_of(shares(from, to, whole));
}

double widest_of_ratios(Columns columns) {
  if (columns.size() == 1)
    return expected_half_width(log_ratios(std::vector<double>(columns[0].size(), 1.0), columns[0]));
  double widest = 0;
  for (std::size_t c = 1; c < columns.size(); ++c)
    widest = std::max(widest, expected_half_width(log_ratios(columns[0], columns[c])));
  return widest;
}

double widest_of_shares(Columns columns) {
  double widest = 0;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const std::span<const double> from = k == 0 ? std::span<const double>() : columns[k - 1];
    widest = std::max(widest, expected_half_width(shares(from, columns[k], columns.back())));
  }
  return widest;
}

}  // namespace attune
