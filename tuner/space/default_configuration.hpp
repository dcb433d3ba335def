// The first values of a kernel's parameters, and the legal configuration nearest to them. Pure; any thread.
#pragma once

#include <optional>

#include "attune/bindings.hpp"
#include "attune/device_info.hpp"
#include "attune/kernel_spec.hpp"

namespace attune {

// Returns the first value of each parameter, legal or not.
Configuration first_values(const KernelSpec& spec);

// Returns the first values if they are legal for the problem on the device, else the legal configuration nearest to
// them. Builds the search space only if the first values are not legal, and throws its errors. Returns nothing where no
// configuration is legal.
std::optional<Configuration> nearest_to_first_values(const KernelSpec& spec, const Problem& problem,
                                                     const DeviceInfo& device);

}  // namespace attune
