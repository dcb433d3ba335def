// Assignments: short texts that people type: "n=2**28 T=float", "BLOCK=128,256".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "attune/value.hpp"

namespace attune {

struct Assignment {
  std::string name;
  std::string values;  // what stands behind the `=`
};
// "a=1 b='x y'": items apart by white space outside quotes. Throws UsageError naming the item.
std::vector<Assignment> parse_assignments(std::string_view text);

// At commas outside quotes, parentheses and brackets: "1, min(2, 3)" has two parts.
std::vector<std::string> split_at_commas(std::string_view text);

// A constant expression, or a name: an identifier (with ::) or quoted. `item` is what messages quote. Throws
// UsageError.
Value parse_constant(std::string_view text, std::string_view item);

}  // namespace attune
