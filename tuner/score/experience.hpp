// What one recording teaches a strategy that searches another of the same kernel. Pure.
#pragma once

#include "score/simulate.hpp"

namespace attune {

// The trials of `elsewhere` whose configurations are legal in `space`.
Experience experience_of(const RecordedSpace& elsewhere, const SearchSpace& space);

}  // namespace attune
