// The value lists of T1 documents: text in the manner of Python, "[32 * i for i in range(1, 32)]", read by a grammar of
// its own and never run as code. Grammar: docs/formats/t1.md. Pure, any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "attune/value.hpp"

namespace attune {

constexpr std::size_t max_t1_values = 65535;  // of one parameter: what a search space takes

// What reading the lists of one document may cost: elements looked at, times the operations of their formulas.
struct ListBudget {
  std::uint64_t steps = std::uint64_t{1} << 27;  // about two seconds
};

// The values in the order of the text. Throws UsageError (ExpressionError too) for anything that is no such list, has
// more than max_t1_values elements, an element without a value, or goes beyond the budget, which it takes from.
std::vector<Value> read_value_list(std::string_view text, ListBudget& budget);

}  // namespace attune
