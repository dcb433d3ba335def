// Problems with a size of 0, for which a kernel with [kernel] empty = "nothing" launches nothing. Pure; any thread.
#pragma once

#include <vector>

#include "attune/match.hpp"
#include "kernel/instantiate.hpp"

namespace attune {

// Returns whether a plan of the kernel for this complete problem launches nothing.
bool launches_nothing(const KernelSpec& spec, const Problem& problem);

// Returns the arguments of a plan that launches nothing, as far as checking what an application passes needs them.
// Arrays whose size has no value, is negative or names parameters have 0 elements. Throws Error for an array by value
// that no launch takes.
std::vector<ResolvedArgument> arguments_of_nothing(const KernelSpec& spec, const Problem& problem);

// Returns the match of such a plan: on the first rung, because no record could be better, and with no configuration.
Match match_of_nothing(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device);

}  // namespace attune
