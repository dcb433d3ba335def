// How much one rule of a search space removes, alone and last. SearchSpace::effects() and audit() use it. Pure; any
// thread.
#pragma once

#include "attune/space_audit.hpp"

namespace attune {

// Returns what the rule removes from the product of all values.
Removed removed_alone(const SearchSpace& space, std::size_t rule);
// Returns what the rule removes from `others`, the space under all other rules.
Removed removed_last(const SearchSpace& space, const SearchSpace& others, std::size_t rule);

}  // namespace attune
