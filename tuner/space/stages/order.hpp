// The order in which the variables of a group are bound: it decides the width of the diagram. Pure; any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace attune::space {

using VariableSet = std::uint64_t;  // of positions
constexpr std::size_t most_ordered = 64;

// The input of the choice: variables that a rule connects, and the share of their combinations that it allows.
struct Tie {
  VariableSet members = 0;
  double density = 1;  // 0 .. 1
};

// Estimates end here, so that sums of them are finite.
constexpr double most_states = 1e100;
// Estimates the states after a set of bound variables: 1 to most_states, less where rules forbid most.
using StateEstimate = std::function<double(VariableSet)>;

// Returns positions in `widths` (numbers of values), in the order of binding. The order keeps combinations of state and
// value few over all steps. The result depends on the arguments alone. More than most_ordered variables stay as they
// are.
// The estimate comes from rules, one tie each:
std::vector<std::uint32_t> choose_order(const std::vector<std::size_t>& widths, const std::vector<Tie>& ties);
// The estimate is given; up to 8 variables get the best order.
std::vector<std::uint32_t> choose_order(const std::vector<std::size_t>& widths, const StateEstimate& states);

}  // namespace attune::space
