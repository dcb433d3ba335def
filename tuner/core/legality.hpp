// Is one configuration legal for a problem on a device, and which is the default? Evaluates the rules for that one
// configuration alone: building a search space may take longer than compiling a kernel. Pure; any thread.
#pragma once

#include <optional>

#include "attune/bindings.hpp"
#include "attune/device_info.hpp"
#include "attune/kernel_spec.hpp"

namespace attune {

// `wished` in the order of [parameters], if it binds exactly the parameters, to values that they list, all rules hold
// and every launch step is within the device's limits; else nothing.
std::optional<Configuration> legal_configuration(const KernelSpec& spec, const Problem& problem,
                                                 const DeviceInfo& device, const Configuration& wished);

// The first values if they are legal here, else the nearest legal configuration to them (only then is the search space
// built). Throws Error naming the rules when no configuration is legal.
Configuration default_for(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device);

}  // namespace attune
