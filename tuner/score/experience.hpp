// Turns one recording into an experience for searching another recording of the same kernel. Pure.
#pragma once

#include "score/simulate.hpp"

namespace attune {

// Returns those trials of `elsewhere` whose configurations are legal in `space`.
Experience experience_of(const RecordedSpace& elsewhere, const SearchSpace& space);

}  // namespace attune
