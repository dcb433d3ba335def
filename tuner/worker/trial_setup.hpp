// What a device worker is told of a kernel, a problem and a configuration: plain values with every expression already
// evaluated, so that it needs to know neither kernel files nor rules. Pure functions make them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "attune/kernel_spec.hpp"
#include "kernel/instantiate.hpp"
#include "device/device.hpp"

namespace attune {

using ScalarBytes = std::array<std::byte, 16>;

struct ArgumentSetup {
  std::string name;
  std::string type;  // a concrete type name
  Role role = Role::scalar;
  bool restore = true;  // inout: before every sample
  std::uint64_t count = 0, bytes = 0;
  Fill fill;
  Tolerance tolerance;
};

// Steps with the image that holds their entries.
struct StepsSetup {
  std::vector<ResolvedStep> steps;
  Image image;
  std::vector<std::uint64_t> bytes;  // by argument: of scratch arrays as this configuration needs them
  std::vector<ScalarBytes> scalars;  // by argument: zeros for arrays
};

// One problem: its data, and where the expected result comes from.
struct TrialSetup {
  std::string kernel, problem;  // for messages
  std::vector<ArgumentSetup> arguments;
  std::optional<StepsSetup> prepare;
  StepsSetup reference;
  bool self_checked = false;  // the reference is the default configuration
  std::uint64_t seed = 0;
};

// One configuration, ready to be tried.
struct TrialLaunch {
  std::string configuration;  // for messages
  int attempt = 1;
  StepsSetup steps;
};

// The steps that make the expected result do not compile; the message holds the compiler's log.
class ReferenceDoesNotCompile : public Error {
 public:
  using Error::Error;
};

// Compiles [[prepare]] and [[reference]]. `fallback` is the configuration whose output is expected when the kernel has
// no reference, and serves scratch sizes. Throws ReferenceDoesNotCompile, or Error when something of the kernel cannot
// be evaluated for this problem.
TrialSetup trial_setup(const KernelSpec& spec, const Problem& problem, const Configuration& fallback,
                       const DeviceInfo& device, Compiler& compiler, std::uint64_t seed);

// Throws Error when something cannot be evaluated for this configuration.
TrialLaunch trial_launch(const KernelSpec& spec, const Problem& problem, const Configuration& configuration,
                         const DeviceInfo& device, const Image& image);

}  // namespace attune
