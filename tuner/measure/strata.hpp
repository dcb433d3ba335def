// Strata: samples by the bench that took them, so that benches that differ widen no interval. A statistic is taken
// within each bench, and the mean over the benches counts, with equal weights of samples. Pure functions.
#pragma once

#include <cstddef>
#include <vector>

#include "measure/statistics.hpp"

namespace attune {

using Strata = std::vector<std::vector<double>>;

// With fewer rounds there is no 95 % interval of a median.
inline constexpr std::size_t least_rounds = 6;

// Returns the samples by bench. `benches` has the number of each sample's bench, or is empty if there is one.
Strata by_bench(std::vector<double> samples, const std::vector<std::size_t>& benches);

// Return what measure/statistics.hpp has for one stratum. Of several, half-widths add up as variances do. Where one has
// fewer than least_rounds samples, it has no width of its own, and all samples count as one stratum.
double median(Strata strata);
Interval median_interval(const Strata& strata, double confidence = 0.95);
double expected_half_width(const Strata& strata);

}  // namespace attune
