// The value lists of T1 documents, texts in the syntax of Python: "[32 * i for i in range(1, 32)]". They are parsed by
// a grammar of their own, and never run as code. Grammar: docs/formats/t1.md. Pure, any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "attune/value.hpp"

namespace attune {

constexpr std::size_t max_t1_values = 65535;  // the most of one parameter: the limit of a search space

// The limit for reading the lists of one document: elements, times the operations of their formulas.
struct ListBudget {
  std::uint64_t steps = std::uint64_t{1} << 27;  // about two seconds
};

// Returns the values in the order of the text, and subtracts the used steps from `budget`. Throws UsageError or
// ExpressionError for anything that is not such a list, for an element without a value, for more than max_t1_values
// elements, and when `budget` is used up.
std::vector<Value> read_value_list(std::string_view text, ListBudget& budget);

}  // namespace attune
