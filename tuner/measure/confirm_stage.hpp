// The stage between screen and final samples the best configurations again at several moments, so that neither good nor
// bad luck decides who becomes a finalist. Each visit is to the better half of the configurations of the visit before
// (successive halving: Karnin, Koren and Somekh, ICML 2013). The stage ends when only finalists are left, after at
// least two visits. Pure: the caller takes the samples; these functions choose the configurations.
#pragma once

#include <span>
#include <vector>

#include "measure/protocol.hpp"

namespace attune {

// Returns the configurations to confirm, the best by screening score first. Each is within protocol.confirm_ratio of
// the best, there are at most confirm_most, and all their visits, with samples of `sample_ns`, take at most
// confirm_seconds. Returns none if these are no more than the finalists, because then the final stage compares them
// all.
std::vector<std::size_t> to_confirm(std::span<const double> screen_scores, std::span<const double> sample_ns,
                                    const Protocol& protocol);

// ratios[c]: the samples of confirmed configuration c over all visits, each divided by the preceding sample of the best
// configuration by screening.
using Confirmations = std::vector<std::vector<double>>;

// Returns the configurations by ascending median. Only configurations without samples are left out. None is dropped for
// being slow: samples are few at first, and the best of many is best partly by luck.
std::vector<std::size_t> by_confirmation(const Confirmations& ratios);

// Returns how many configurations, best first, to sample in visit `visit` + 1; 0 ends the stage. `visited` is how many
// had samples in visit `visit`. Visits count from 0.
std::size_t next_visit(int visit, std::size_t visited, const Protocol& protocol);

}  // namespace attune
