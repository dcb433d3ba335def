// The legal rows of a search space, found by backtracking. Used by SearchSpace alone.
#pragma once

#include <cstdint>
#include <vector>

#include "attune/search_space.hpp"

namespace attune {

struct LegalRows {
  std::vector<std::uint16_t> positions;  // one value position per parameter and row, rows in lexicographic order
  std::size_t count = 0;
};

// Binds parameters in definition order and checks each rule as soon as the last parameter that it mentions is bound.
// Throws UsageError for rules that use unknown names, Error for spaces too large to be listed.
LegalRows legal_rows(const std::vector<Parameter>& parameters, const std::vector<Rule>& rules, const Bindings& problem,
                     const DeviceInfo* device);

}  // namespace attune
