// Contents: the data of a SearchSpace. Immutable once it is built; any thread may read it.
#pragma once

#include <optional>

#include "attune/search_space.hpp"
#include "space/stages/construction.hpp"
#include "space/stages/value_index.hpp"

namespace attune {

struct SearchSpace::Contents {
  std::vector<Parameter> parameters;
  std::vector<Rule> rules;
  Bindings problem;
  std::optional<DeviceInfo> device;
  SpaceBudget budget;
  space::ConstructedSpace constructed;
  std::vector<space::ValueIndex> values;                // by parameter
  std::vector<std::vector<std::uint16_t>> values_left;  // by parameter
  // For each left-out rule, for each name in it: the problem's value, or the parameter if `constant` is null.
  struct LeftOutName {
    std::size_t parameter = 0;
    const Value* constant = nullptr;
  };
  std::vector<std::vector<LeftOutName>> left_out_names;

  // Indexes the values of `parameters`, before construction. Throws UsageError.
  void index_values();
  void find_values_left();  // after construction

  const space::Diagram& diagram() const { return constructed.diagram; }
  bool allowed_by_left_out(RowView row) const;
};

}  // namespace attune
