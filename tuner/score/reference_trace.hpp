// A search without random numbers, by which implementations of the methodology are compared. Pure functions.
#pragma once

#include "score/space_statistics.hpp"

namespace attune {

inline constexpr std::size_t trace_repeats = 25;

// Repeat r evaluates row (r * 37 + k * 1009) mod rows at step k, until the summed cost reaches the span's budget.
// `space.span` is set, and the recording has costs.
Visits reference_trace(const RecordedSpace& recorded, const SpaceStatistics& space, std::size_t repeat);

}  // namespace attune
