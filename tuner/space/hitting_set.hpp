// Smallest hitting sets: the fewest elements that include at least one element of every set. Exact, by branching with a
// lower bound. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace attune {

// Returns a smallest hitting set of `sets`, ascending, if it has at most `most` elements. Returns nothing when the
// smallest hitting set has more elements, or when one of the sets is empty. `steps` is the number of branches left:
// each branch takes one off, and at 0 the result is nothing.
std::optional<std::vector<std::size_t>> smallest_hitting_set(const std::vector<std::vector<std::size_t>>& sets,
                                                             std::size_t most, std::uint64_t& steps);

}  // namespace attune
