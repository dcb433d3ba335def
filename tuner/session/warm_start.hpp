// The warm start: what a session tries before its strategy proposes anything. Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "attune/strategy.hpp"
#include "kernel/ladder.hpp"
#include "core/trial.hpp"

namespace attune {

// More would cost a short search much of its time: of recorded kernels the best configurations of four to six other
// devices reach 0.80 to 0.97 of the optimum, and later ones repeat earlier ones.
inline constexpr std::size_t most_warm_starts = 8;

// The records of the same code and kind of device, likeliest to help first:
//   the record of this very problem and device, should a session search it again;
//   other problems on this class of device, those of equal types first, then by the sum of squared log2 ratios;
//   other devices, those of the same compute capability first, then the nearer problem, the nearer compute capability
//   and the nearer number of multiprocessors.
std::vector<Record> ranked_for_warm_start(const MatchRequest& request, std::span<const Record> records);

// Their configurations, each once. One that is not legal in `space` is left out rather than repaired: its repair was
// measured nowhere, so it is no better than what the strategy would propose.
std::vector<Row> warm_start(std::span<const Record> ranked, const SearchSpace& space,
                            std::size_t most = most_warm_starts);

// What the trials of a session elsewhere teach about `space`.
Experience experience_of(const std::string& source, std::span<const Trial> trials, const SearchSpace& space);

}  // namespace attune
