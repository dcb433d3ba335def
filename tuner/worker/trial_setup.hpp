// A device worker's view of a kernel, a problem and an instance: plain values with every expression evaluated. So it
// needs neither kernel files nor rules. Pure functions make them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "attune/kernel_spec.hpp"
#include "device/step_binding.hpp"
#include "kernel/fill_values.hpp"
#include "kernel/instance.hpp"

namespace attune {

struct ArgumentSetup {
  std::string name;
  std::string type;  // a concrete type name
  Role role = Role::scalar;
  bool restore = true;       // inout: before every sample
  bool is_compared = false;  // with what the reference gives
  bool is_mapped = false;    // lies in host memory
  bool by_value = false;     // in: among the parameters, in no memory of the device
  std::uint64_t count = 0, bytes = 0;
  FillValues fill;
  Tolerance tolerance;
};

struct NamedText {
  std::string name, text;
};

// A peer of a kernel, in a library (attune/peer.hpp), and the problem for it.
struct PeerSetup {
  std::string library;  // absolute
  std::string kernel, name;
  std::vector<NamedText> values;  // of the problem
};

// Steps with the image that holds their entries.
struct StepsSetup {
  std::vector<ResolvedStep> steps;
  Image image;
  std::vector<StepArgument> arguments;  // scratch arrays as large as this configuration needs them
  std::uint64_t untimed = 0;            // of the steps, the last ones: [[verify]]
  std::optional<PeerSetup> peer = {};   // goes before the steps, which are [[verify]] alone
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

// One instance, ready to be loaded.
struct InstanceLaunch {
  InstanceId instance = 0;
  std::string configuration;  // for messages
  int attempt = 1;
  StepsSetup steps;
};

// The steps of the expected result do not compile; the message holds the compiler's log.
class ReferenceDoesNotCompile : public Error {
 public:
  using Error::Error;
};

// Compiles one image; a coordinator uses its pool.
using CompileOne = std::function<CompileOutcome(const ImageRequest&)>;

// Compiles [[prepare]] and [[reference]]. Without a reference, the output of `default_configuration` is expected. The
// reference has the scratch sizes of `default_configuration`. Throws ReferenceDoesNotCompile, or Error when something
// of the kernel cannot be evaluated for this problem.
TrialSetup trial_setup(const KernelSpec& spec, const Problem& problem, const Configuration& default_configuration,
                       const DeviceInfo& device, const CompileOne& compile, std::uint64_t seed);

// Throws Error for a scalar argument that has no value.
InstanceLaunch instance_launch(const KernelSpec& spec, const Instance& instance, const Image& image, int attempt = 1);

// Returns a peer in the place of the steps of an instance, ready to be loaded under this number. `image`: of the
// instance. Throws Error for a scalar argument that has no value.
InstanceLaunch peer_launch(const KernelSpec& spec, const Instance& instance, const Image& image, PeerSetup peer,
                           InstanceId id);

}  // namespace attune
