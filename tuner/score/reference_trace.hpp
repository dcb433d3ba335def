// A search without random numbers, with which implementations of the methodology are compared. Pure functions.
#pragma once

#include "score/space_statistics.hpp"

namespace attune {

inline constexpr std::size_t trace_repeats = 25;

// Returns the visits of repeat r = `repeat`: step k visits row (r * 37 + k * 1009) mod rows. The search ends when the
// summed cost reaches the span's budget, or after as many steps as there are rows. `space.span` must be set, and the
// recording must have costs.
Visits reference_trace(const RecordedSpace& recorded, const SpaceStatistics& space, std::size_t repeat);

}  // namespace attune
