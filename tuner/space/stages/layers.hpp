// Layers: a decision diagram while it is built, one layer per variable in the order of its component. Node 0 of the
// first layer is the root. In the last layer each child is 0 or no_node. A plain value.
#pragma once

#include <cstdint>
#include <vector>

#include "space/stages/automaton.hpp"
#include "space/stages/budget_use.hpp"

namespace attune::space {

constexpr std::uint32_t no_node = ~std::uint32_t{0};

struct Layer {
  std::uint32_t width = 0;
  std::vector<std::uint32_t> children;  // at [node * width + value]: node of the next layer, or no_node
  std::size_t nodes() const { return children.size() / width; }
};

using Layers = std::vector<Layer>;

// Returns the diagram of the configurations that all automata allow. `widths` has the number of values of each level's
// variable. Every level must be a level of some automaton.
Layers join(const std::vector<Automaton>& automata, const std::vector<std::uint32_t>& widths, BudgetUse& use);

// Removes nodes that lead nowhere and merges equal nodes. Leaves no layers if no configuration is left.
void reduce(Layers& layers);

}  // namespace attune::space
