// Chooses the order in which the variables of a group are bound. The order decides the width of the diagram. Pure; any
// thread.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace attune::space {

using VariableSet = std::uint64_t;  // of positions
constexpr std::size_t most_ordered = 64;

// The variables that a rule connects, and the share of their combinations that it allows.
struct Tie {
  VariableSet members = 0;
  double density = 1;  // 0 .. 1
};

// Estimates are cut off here, so that their sums are finite.
constexpr double most_states = 1e100;
// Estimates the states after a set of bound variables: 1 to most_states, less where rules forbid most.
using StateEstimate = std::function<double(VariableSet)>;

// Both functions return positions in `widths` (the variables' numbers of values), in the order of binding. The order
// keeps the combinations of state and value few, summed over all steps. The result depends on the arguments alone. More
// than most_ordered variables keep their order. This one estimates the states from rules, one tie each:
std::vector<std::uint32_t> choose_order(const std::vector<std::size_t>& widths, const std::vector<Tie>& ties);
// This one is given the estimate. Up to 8 variables get the best order.
std::vector<std::uint32_t> choose_order(const std::vector<std::size_t>& widths, const StateEstimate& states);

}  // namespace attune::space
