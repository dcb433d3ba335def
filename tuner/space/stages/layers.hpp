// Layers: a decision diagram while it is built, one layer per variable in the order of its component. Node 0 of the
// first layer is the root. A plain value.
#pragma once

#include <cstdint>
#include <vector>

#include "space/stages/automaton.hpp"
#include "space/stages/budget_use.hpp"

namespace attune::space {

constexpr std::uint32_t no_node = ~std::uint32_t{0};

struct Layer {
  std::uint32_t width = 0;
  std::vector<std::uint32_t> children;  // at [node * width + value]: the node of the next layer; after the last layer 0
  std::size_t nodes() const { return children.size() / width; }
};

using Layers = std::vector<Layer>;

// Returns the configurations that all automata allow. `widths`: of the variables by level; every level is in some
// automaton.
Layers join(const std::vector<Automaton>& automata, const std::vector<std::uint32_t>& widths, BudgetUse& use);

// Removes nodes that lead nowhere and makes equal nodes one. Leaves no layers where nothing is left.
void reduce(Layers& layers);

}  // namespace attune::space
