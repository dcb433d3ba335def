// Smallest hitting sets: the fewest elements of which every one of several sets holds at least one. Exact, by branching
// with a lower bound. Pure, any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace attune {

// A smallest hitting set of `sets`, ascending, if it has at most `most` elements; nothing when it has more, or an empty
// set is among them, or more than `steps` branches were looked at (which `steps`, counting down to 0, tells).
std::optional<std::vector<std::size_t>> smallest_hitting_set(const std::vector<std::vector<std::size_t>>& sets,
                                                             std::size_t most, std::uint64_t& steps);

}  // namespace attune
