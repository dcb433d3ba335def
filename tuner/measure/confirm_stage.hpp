// The stage between screen and final: the best configurations are sampled again, at several moments. So luck makes none
// a finalist, and bad luck excludes none. Each visit is to the better half of the one before (successive halving:
// Karnin, Koren and Somekh, ICML 2013). The stage ends when only finalists are left, after at least two visits. Pure:
// the caller takes the samples; these functions choose the configurations.
#pragma once

#include <span>
#include <vector>

#include "measure/protocol.hpp"

namespace attune {

// Returns the configurations to confirm, best first, by screening scores. They are within protocol.confirm_ratio of the
// best and at most confirm_most. Their visits, with samples of `sample_ns` each, take at most confirm_seconds in all.
// Returns none when no more are left than there are finalists: the final stage compares them all.
std::vector<std::size_t> to_confirm(std::span<const double> screen_scores, std::span<const double> sample_ns,
                                    const Protocol& protocol);

// ratios[c]: each sample of a confirmed configuration, over all visits, to the preceding one of the best by screening.
using Confirmations = std::vector<std::vector<double>>;

// Returns the configurations by ascending median. A configuration without samples is left out. No other is dropped:
// samples are few at first, and the best of many is best by luck.
std::vector<std::size_t> by_confirmation(const Confirmations& ratios);

// Returns how many configurations, best first, visit `visit` + 1 samples; 0 ends the stage. `visited` had samples in
// the visit that ends. Visits count from 0.
std::size_t next_visit(int visit, std::size_t visited, const Protocol& protocol);

}  // namespace attune
