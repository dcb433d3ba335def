// A search without random numbers, for comparing implementations of the methodology. Pure functions.
#pragma once

#include "score/space_statistics.hpp"

namespace attune {

inline constexpr std::size_t trace_repeats = 25;

// Evaluates, in repeat r, row (r * 37 + k * 1009) mod rows at step k. It ends when the summed cost reaches the span's
// budget. Needs `space.span` and a recording with costs.
Visits reference_trace(const RecordedSpace& recorded, const SpaceStatistics& space, std::size_t repeat);

}  // namespace attune
