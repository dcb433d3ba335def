// The warm start: which configurations a session tries before its strategy proposes any. Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "attune/search_space.hpp"
#include "attune/strategy.hpp"
#include "core/record.hpp"
#include "core/trial.hpp"

namespace attune {

// More would take much of a short search. On recorded kernels, the best configurations of four to six other devices
// reach 0.80 to 0.97 of the optimum; those of further devices repeat earlier ones.
inline constexpr std::size_t most_warm_starts = 8;

// Returns the records' configurations, each once, without those illegal in `space`. They are not repaired: a repaired
// configuration was measured nowhere, so it is no better than a proposal of the strategy.
std::vector<Row> warm_start(std::span<const Record> ranked, const SearchSpace& space,
                            std::size_t most = most_warm_starts);

// Returns the trials of a session elsewhere as experience for `space`.
Experience experience_of(const std::string& source, std::span<const Trial> trials, const SearchSpace& space);

}  // namespace attune
