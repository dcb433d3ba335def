// In which order the variables of a component are bound: the order decides how wide its diagram gets. Pure; any thread.
#pragma once

#include <cstdint>
#include <vector>

namespace attune::space {

// What the order is chosen by: the variables that a rule ties together, and which part of their combinations it allows.
struct Tie {
  std::vector<std::uint32_t> members;  // positions in `widths`
  double density = 1;                  // 0 .. 1
};

// Positions in `widths`, in the order in which they are to be bound. A function of the arguments alone.
std::vector<std::uint32_t> choose_order(const std::vector<std::size_t>& widths, const std::vector<Tie>& ties);

}  // namespace attune::space
