// Instance: one configuration of a kernel for a problem on a device, with everything resolved that compiling and
// launching need. It is made once and then shared. A plain value.
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
  Problem problem;
  Configuration configuration;
  std::string text;                         // configuration.text()
  std::vector<ResolvedStep> steps;          // of [[launch]]
  std::vector<ResolvedStep> verify;         // of [[verify]]
  std::vector<ResolvedArgument> arguments;  // in the order of [arguments]
  ImageRequest image;
};

// Makes an instance. Throws Error when something cannot be resolved: a scalar beyond its type, an undefined size, a
// shape beyond the limits.
std::shared_ptr<const Instance> make_instance(InstanceId id, const KernelSpec& spec, const Problem& problem,
                                              const Configuration& configuration, const DeviceInfo& device);

// Returns the shape of each launch step, in order.
std::vector<LaunchShape> launch_shapes(const Instance& instance);

}  // namespace attune
