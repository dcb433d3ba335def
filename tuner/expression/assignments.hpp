// Assignments: short texts of the command line, such as "n=2**28 T=float" and "BLOCK=128,256".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "attune/value.hpp"

namespace attune {

struct Assignment {
  std::string name;
  std::string values;  // the text after the `=`
};
// Reads "a=1 b='x y'": items separated by white space outside quotes. Throws UsageError naming the item.
std::vector<Assignment> parse_assignments(std::string_view text);

// Splits at commas outside quotes, parentheses and brackets: "1, min(2, 3)" has two parts.
std::vector<std::string> split_at_commas(std::string_view text);

// Returns the value of a constant expression, or the name if `text` is an identifier (perhaps with ::) or quoted.
// Messages quote `item`. Throws UsageError.
Value parse_constant(std::string_view text, std::string_view item);

}  // namespace attune
