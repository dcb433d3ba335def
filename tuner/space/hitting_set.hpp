// Smallest hitting sets: the fewest elements that include at least one of every set. Exact, by branching with a lower
// bound. Pure, any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace attune {

// Returns a smallest hitting set of `sets`, ascending, if it has at most `most` elements. Returns nothing when it has
// more, or one of the sets is empty. `steps` counts the branches down; at 0 the result is nothing too.
std::optional<std::vector<std::size_t>> smallest_hitting_set(const std::vector<std::vector<std::size_t>>& sets,
                                                             std::size_t most, std::uint64_t& steps);

}  // namespace attune
