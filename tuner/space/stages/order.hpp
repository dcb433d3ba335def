// In which order the variables of a group are bound: the order decides how wide its diagram gets. Pure; any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace attune::space {

using VariableSet = std::uint64_t;  // of positions
constexpr std::size_t most_ordered = 64;

// What the order is chosen by: the variables that a rule ties together, and which part of their combinations it allows.
struct Tie {
  VariableSet members = 0;
  double density = 1;  // 0 .. 1
};

// Estimates end here, so that sums of them are finite.
constexpr double most_states = 1e100;
// How many states there may be behind a set of bound variables: 1 to most_states, less where rules forbid most.
using StateEstimate = std::function<double(VariableSet)>;

// Positions in `widths` (numbers of values), in the order in which they are to be bound: few combinations of state and
// value over all steps. A function of the arguments alone. More than most_ordered variables stay as they are.
// By rules of which each is a tie:
std::vector<std::uint32_t> choose_order(const std::vector<std::size_t>& widths, const std::vector<Tie>& ties);
// By any estimate; the best order there is for up to 8 variables.
std::vector<std::uint32_t> choose_order(const std::vector<std::size_t>& widths, const StateEstimate& states);

}  // namespace attune::space
