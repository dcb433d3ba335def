// Built: what a SearchSpace is made of. Immutable; any thread may read.
#pragma once

#include <optional>

#include "attune/search_space.hpp"
#include "core/space/construction.hpp"
#include "core/space/value_index.hpp"

namespace attune::space {

// Consecutive components that an index treats as one digit. Few configurations are written out: then finding one is a
// copy. The order is the same with a table and without.
struct Block {
  std::size_t first = 0, count = 0;  // components
  SpaceSize size = 1;                // saturating
  std::vector<std::uint32_t> parameters;
  std::vector<std::uint16_t> table;  // rows of positions, one entry per parameter; empty: too many
};

std::vector<Block> blocks_of(const std::vector<Component>& components);

}  // namespace attune::space

namespace attune {

struct SearchSpace::Built {
  std::vector<Parameter> parameters;
  std::vector<Rule> rules;
  Bindings problem;
  std::optional<DeviceInfo> device;
  space::Constructed constructed;
  std::vector<space::Block> blocks;
  std::vector<space::ValueIndex> values;                // by parameter
  std::vector<std::vector<std::uint16_t>> values_left;  // by parameter
  SpaceSize size = 0;
  bool saturated = false;
  SpaceBudget budget;

  // Do the rules that were left out allow the row?
  bool allowed_by_left_out(RowView row) const;
  // Does the row take the one value that is left of each fixed parameter?
  std::size_t fixed_off(RowView row) const;
  // In the diagrams: whatever the left-out rules say.
  bool in_diagrams(RowView row) const;
};

}  // namespace attune
