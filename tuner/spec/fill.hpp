// The text of `fill = "..."`: uniform(a, b), normal(m, s), constant(c), iota, permutation, zipf(s, count); for scalars
// a number, or seed.
#pragma once

#include <string_view>

#include "attune/kernel_spec.hpp"

namespace attune {

// Throws ExpressionError with the offset in `text`. Numbers are expressions over the problem.
Fill parse_fill(std::string_view text, bool scalar);

}  // namespace attune
