// Instance: one configuration of a kernel for a problem on a device, with everything resolved that it is compiled and
// launched by. Made once, then only referred to. A plain value.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/image.hpp"
#include "kernel/instantiate.hpp"

namespace attune {

using InstanceId = std::uint64_t;

struct Instance {
  InstanceId id = 0;  // among the instances of one session
  Configuration configuration;
  std::string text;                         // configuration.text()
  std::vector<ResolvedStep> steps;          // of [[launch]]
  std::vector<ResolvedArgument> arguments;  // in the order of [arguments]
  ImageRequest image;
};

// Throws Error when something cannot be resolved for this configuration: a scalar that does not fit its type, a size
// that is undefined, a shape beyond the device's limits.
std::shared_ptr<const Instance> make_instance(InstanceId id, const KernelSpec& spec, const Problem& problem,
                                              const Configuration& configuration, const DeviceInfo& device);

// How each of its launch steps is launched, in order.
std::vector<LaunchShape> launch_shapes(const Instance& instance);

}  // namespace attune
