// The warm start: which configurations a session tries before its strategy proposes any. Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "attune/strategy.hpp"
#include "core/trial.hpp"
#include "kernel/ladder.hpp"

namespace attune {

// More would take much of a short search. On recorded kernels, the best configurations of four to six other devices
// reach 0.80 to 0.97 of the optimum; those of further devices repeat earlier ones.
inline constexpr std::size_t most_warm_starts = 8;

// Returns the records of the same code and kind of device, likeliest to help first:
//   the record of this very problem and device, if a session searches it again;
//   other problems on this class of device, with equal types first, then by the sum of squared log2 ratios;
//   other devices, of the same compute capability first, then the nearer problem, the nearer compute capability
//   and the nearer number of multiprocessors.
std::vector<Record> ranked_for_warm_start(const MatchRequest& request, std::span<const Record> records);

// Returns the records' configurations, each once, without those illegal in `space`. They are not repaired: a repaired
// configuration was measured nowhere, so it is no better than a proposal of the strategy.
std::vector<Row> warm_start(std::span<const Record> ranked, const SearchSpace& space,
                            std::size_t most = most_warm_starts);

// Returns the steps of the kernel's ladders, in their order, each once, without those illegal in `space`. The ladders'
// authors know the kernel, and a search that begins with the ladders is never worse than them.
std::vector<Row> ladder_rows(const KernelSpec& spec, const SearchSpace& space);

// Returns the trials of a session elsewhere as experience for `space`.
Experience experience_of(const std::string& source, std::span<const Trial> trials, const SearchSpace& space);

}  // namespace attune
