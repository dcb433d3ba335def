// The text of `fill = "..."`: uniform(a, b), normal(m, s), constant(c), iota, permutation; for scalars a number.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "attune/kernel_spec.hpp"
#include "core/type_table.hpp"

namespace attune {

// Throws ExpressionError with the offset in `text`. Bounds are constant expressions.
Fill parse_fill(std::string_view text, bool scalar);

// Returns why `fill` cannot make values of `type`; nothing if it can.
std::optional<std::string> misfit(const Fill& fill, const TypeInfo& type);

}  // namespace attune
