// Reads the text of `fill = "..."`: uniform(a, b), normal(m, s), constant(c), iota, permutation, zipf(s, count); for
// scalars a number, or seed.
#pragma once

#include <string_view>

#include "attune/kernel_spec.hpp"

namespace attune {

// Returns the fill, whose numbers are expressions over the problem. Throws ExpressionError with the offset in `text`.
Fill parse_fill(std::string_view text, bool scalar);

}  // namespace attune
