// Blocks: rounds of a final stage, each a sample of every finalist on one bench, and what they tell within the benches
// and between them. Pure functions.
#pragma once

#include <cstddef>
#include <vector>

#include "measure/protocol.hpp"
#include "measure/strata.hpp"

namespace attune {

// rounds[r][f]: nanoseconds of finalist f in round r. Every round has a time of every finalist.
using RoundTimes = std::vector<std::vector<double>>;
// The number of the bench that took a round, by round. Empty if one bench took all.
using Benches = std::vector<std::size_t>;

struct Blocks {
  const RoundTimes& rounds;
  const Benches& benches;
};

// The confidence where each finalist is tested again and again, or on each bench; with fewer rounds there is no such
// interval.
inline constexpr double sure_confidence = 0.999;
inline constexpr std::size_t least_sure_rounds = 11;

// Returns the entries of the rounds `of`.
template <typename ByRound>
ByRound chosen(const ByRound& rounds, const std::vector<std::size_t>& of) {
  ByRound some;
  if (rounds.empty()) return some;
  for (const std::size_t r : of) some.push_back(rounds[r]);
  return some;
}

// Returns one finalist's times.
std::vector<double> column(const RoundTimes& rounds, std::size_t finalist);

// Returns log(slower / faster) of each round, by bench.
Strata paired_log_ratios(const Blocks& blocks, std::size_t slower, std::size_t faster);

// Sorts the finalists by the median of their times relative to the round. Medians of plain times cannot be compared
// between finalists: where a clock jumps between two states, they depend on chance.
std::vector<std::size_t> by_median(const Blocks& blocks);

// Returns whether the winner depends on the bench, of which there are several: the 95 % intervals of winner / runner-up
// on two benches lie apart by more than protocol.tie_ratio, or another finalist surely beats the winner by more than
// that on one of them. Sure is 99.9 %, because each finalist is tested on each bench.
bool do_benches_differ(const Blocks& blocks, std::size_t winner, std::size_t runner_up, const Protocol& protocol);

// Returns the finalist whose loss is least on the bench where its loss is greatest. The loss is against the fastest on
// that bench. Benches with fewer than least_rounds count if there is no other.
std::size_t best_worst_case(const Blocks& blocks);

}  // namespace attune
