// Advice on data that make no sense. Pure.
#pragma once

#include <string>

#include "attune/kernel_spec.hpp"

namespace attune {

// Returns which integer inputs have no `fill`, with the key to set, or "" if there are none. If the default or the
// reference faults, arbitrary values of an integer type may be the cause.
std::string unfilled_explanation(const KernelSpec& spec, const Problem& problem);

}  // namespace attune
