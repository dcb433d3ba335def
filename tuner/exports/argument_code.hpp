// The arguments of a kernel as C++ of a generated header: sizes, values and tensor maps.
#pragma once

#include <string>

#include "exports/expression_code.hpp"

namespace attune {

// Returns for each tensor map a constexpr function tensor_map_<position>(), which checks every limit of the hardware
// and computes the layout.
std::string tensor_map_code(const KernelSpec& spec, ExpressionCode& expressions);
// Returns the function arguments(), which computes what resolve_arguments() computes.
std::string argument_code(const KernelSpec& spec, ExpressionCode& expressions);

}  // namespace attune
