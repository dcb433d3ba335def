// What is near to the first values of a kernel's parameters. Pure; any thread.
#pragma once

#include <optional>

#include "attune/bindings.hpp"
#include "attune/device_info.hpp"
#include "attune/kernel_spec.hpp"

namespace attune {

// Returns the first value of each parameter, legal or not.
Configuration first_values(const KernelSpec& spec);

// Returns the first values if they are legal here, else the legal configuration nearest to them. Only then is the
// search space built, and its errors are thrown. Returns nothing where no configuration is legal.
std::optional<Configuration> nearest_to_first_values(const KernelSpec& spec, const Problem& problem,
                                                     const DeviceInfo& device);

}  // namespace attune
