// The value lists of T1 documents, text in Python's manner: "[32 * i for i in range(1, 32)]". A grammar of its own
// reads them; nothing is run as code. Grammar: docs/formats/t1.md. Pure, any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "attune/value.hpp"

namespace attune {

constexpr std::size_t max_t1_values = 65535;  // of one parameter: the limit of a search space

// The limit for reading the lists of one document: elements, times the operations of their formulas.
struct ListBudget {
  std::uint64_t steps = std::uint64_t{1} << 27;  // about two seconds
};

// Returns the values in the order of the text. Throws UsageError, or ExpressionError, for anything that is no such
// list. Throws also for an element without a value, more than max_t1_values elements, or beyond `budget`. It subtracts
// the used steps from `budget`.
std::vector<Value> read_value_list(std::string_view text, ListBudget& budget);

}  // namespace attune
