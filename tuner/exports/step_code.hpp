// The steps of a kernel as C++ of a generated header: the geometry with every limit, and the launches.
#pragma once

#include <string>

#include "exports/expression_code.hpp"

namespace attune {

// Returns `Shapes` and the constexpr functions geometry() and verify_geometry(), which compute what resolve_steps()
// computes.
std::string geometry_code(const KernelSpec& spec, ExpressionCode& expressions);
// Returns the function steps(): entries, shapes and arguments of the steps that run.
std::string steps_code(const KernelSpec& spec);

}  // namespace attune
