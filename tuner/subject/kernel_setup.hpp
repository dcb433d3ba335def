// Makes a worker's view of a kernel file, with every expression evaluated. Pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "attune/kernel_spec.hpp"
#include "worker/trial_setup.hpp"

namespace attune {

// Compiles [[prepare]] and [[reference]], and returns the setup with their images. Without a reference, the output of
// `default_configuration` is the expected one. The reference has the scratch sizes of `default_configuration`. Throws
// ReferenceDoesNotCompile, and Error when a part of the kernel cannot be evaluated for this problem.
TrialSetup trial_setup(const KernelSpec& spec, const Problem& problem, const Configuration& default_configuration,
                       const DeviceInfo& device, const CompileOne& compile, std::uint64_t seed);

// Returns the steps of a configuration, [[launch]] then [[verify]], without an image. Throws Error when something
// cannot be resolved: a scalar beyond its type or without a value, an undefined size, a shape beyond the limits.
StepsSetup launch_setup(const KernelSpec& spec, const Problem& problem, const Configuration& configuration,
                        const DeviceInfo& device);

// Returns the shape of each launch that is timed, in order.
std::vector<LaunchShape> timed_shapes(const StepsSetup& steps);

}  // namespace attune
