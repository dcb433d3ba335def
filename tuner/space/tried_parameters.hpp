// The parameters of trials, for programs that have no kernel file at hand. Pure; any thread.
#pragma once

#include <span>
#include <vector>

#include "attune/parameter.hpp"
#include "core/trial.hpp"

namespace attune {

// Returns the parameters of all trials, in the order in which they occur, with the values that occur, in ascending
// order.
std::vector<Parameter> tried_parameters(std::span<const Trial> trials);

}  // namespace attune
