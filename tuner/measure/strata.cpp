#include "measure/strata.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace attune {
namespace {

// Returns the share of each stratum in all samples.
std::vector<double> weights_of(const Strata& strata) {
  std::size_t all = 0;
  for (const std::vector<double>& one : strata) all += one.size();
  std::vector<double> weights;
  for (const std::vector<double>& one : strata)
    weights.push_back(static_cast<double>(one.size()) / static_cast<double>(all));
  return weights;
}

// Returns whether each of several strata tells its own width.
bool have_widths(const Strata& strata) {
  return strata.size() > 1 && std::ranges::all_of(strata, [](const auto& own) { return own.size() >= least_rounds; });
}

std::vector<double> together(const Strata& strata) {
  std::vector<double> all;
  for (const std::vector<double>& own : strata) all.insert(all.end(), own.begin(), own.end());
  return all;
}

}  // namespace

Strata by_bench(std::vector<double> samples, const std::vector<std::size_t>& benches) {
  Strata strata;
  if (benches.empty()) {
    strata.push_back(std::move(samples));
    return strata;
  }
  std::map<std::size_t, std::vector<double>> found;
  for (std::size_t i = 0; i < samples.size(); ++i) found[benches[i]].push_back(samples[i]);
  for (auto& [bench, own] : found) strata.push_back(std::move(own));
  return strata;
}

double median(Strata strata) {
  if (!have_widths(strata)) {
    std::vector<double> all = together(strata);
    return median_of_moved(all);
  }
  const std::vector<double> weights = weights_of(strata);
  double sum = 0;
  for (std::size_t i = 0; i < strata.size(); ++i) sum += weights[i] * median_of_moved(strata[i]);
  return sum;
}

Interval median_interval(const Strata& strata, double confidence) {
  if (!have_widths(strata)) return median_interval(together(strata), confidence);
  const std::vector<double> weights = weights_of(strata);
  double middle = 0, below = 0, above = 0;
  for (std::size_t i = 0; i < strata.size(); ++i) {
    const Interval own = median_interval(strata[i], confidence);
    const double typical = median(strata[i]);
    middle += weights[i] * typical;
    below += std::pow(weights[i] * (typical - own.low), 2);
    above += std::pow(weights[i] * (own.high - typical), 2);
  }
  return {middle - std::sqrt(below), middle + std::sqrt(above)};
}

double expected_half_width(const Strata& strata) {
  if (!have_widths(strata)) return expected_half_width(together(strata));
  const std::vector<double> weights = weights_of(strata);
  double sum = 0;
  for (std::size_t i = 0; i < strata.size(); ++i) sum += std::pow(weights[i] * expected_half_width(strata[i]), 2);
  return std::sqrt(sum);
}

}  // namespace attune
