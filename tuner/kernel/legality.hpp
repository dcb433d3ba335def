// Legality of one configuration for a problem on a device. Evaluates the rules for that configuration alone, because
// building a search space may take longer than compiling a kernel. Pure; any thread.
#pragma once

#include <optional>
#include <string>

#include "attune/bindings.hpp"
#include "attune/device_info.hpp"
#include "attune/kernel_spec.hpp"

namespace attune {

// Returns `wished` in the order of [parameters] if it is legal, else nothing. It must bind exactly the parameters, to
// listed values. All rules must hold, and every launch step must be within the device's limits.
std::optional<Configuration> legal_configuration(const KernelSpec& spec, const Problem& problem,
                                                 const DeviceInfo& device, const Configuration& wished);
// Returns the rule or limit that `wished` breaks, such as "VECTOR * sizeof(T) <= 16 does not hold", or "" if it is
// legal.
std::string why_illegal(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device,
                        const Configuration& wished);
// Returns whether the kernel file promises that a configuration gives equal bits in every launch ([kernel]
// `deterministic`).
bool is_deterministic(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device,
                      const Configuration& configuration);

}  // namespace attune
