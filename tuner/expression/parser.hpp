// Expression text -> nodes. Used by Expression alone.
#pragma once

#include <string_view>

#include "expression/node.hpp"

namespace attune {

// Throws ExpressionError.
void parse_expression(std::string_view text, Dialect dialect, ParsedExpression& out);
// The same for text of a length that is already checked.
void parse_python(std::string_view text, ParsedExpression& out);

}  // namespace attune
