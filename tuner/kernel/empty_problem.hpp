// Problems with a size of 0, for which a kernel with [kernel] empty = "nothing" launches nothing. Pure; any thread.
#pragma once

#include "attune/device_info.hpp"
#include "attune/kernel_spec.hpp"
#include "attune/match.hpp"

namespace attune {

// Returns whether a plan of the kernel for this complete problem launches nothing.
bool launches_nothing(const KernelSpec& spec, const Problem& problem);

// Returns the match of such a plan: on the first rung, because no record could be better, and with no configuration.
Match match_of_nothing(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device);

}  // namespace attune
