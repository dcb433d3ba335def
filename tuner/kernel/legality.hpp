// Is one configuration legal for a problem on a device? Evaluates the rules for that one configuration alone: building
// a search space may take longer than compiling a kernel. Pure; any thread.
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

}  // namespace attune
