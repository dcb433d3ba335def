// How much one rule of a search space removes, alone and last. Used by SearchSpace::effects() and audit().
#pragma once

#include "attune/space_audit.hpp"

namespace attune {

// Returns its share of the product of all values.
Removed removed_alone(const SearchSpace& space, std::size_t rule);
// Returns its share of what `others`, the space under all other rules, leaves.
Removed removed_last(const SearchSpace& space, const SearchSpace& others, std::size_t rule);

}  // namespace attune
