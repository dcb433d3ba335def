// Expression text -> nodes. Only Expression uses it.
#pragma once

#include <string_view>

#include "expression/node.hpp"

namespace attune {

// Throws ExpressionError.
void parse_expression(std::string_view text, Dialect dialect, ParsedExpression& out);
// Parses text whose length is already checked. Throws ExpressionError.
void parse_python(std::string_view text, ParsedExpression& out);

}  // namespace attune
