// A device worker's view of a kernel, a problem and an instance. These are plain values with every expression
// evaluated, so that a worker needs neither kernel files nor rules.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "attune/kernel_spec.hpp"
#include "device/step_binding.hpp"
#include "kernel/fill_values.hpp"

namespace attune {

using InstanceId = std::uint64_t;

struct ArgumentSetup {
  std::string name;
  std::string type;  // a concrete type name
  Role role = Role::scalar;
  bool restore = true;       // inout: is restored before every sample
  bool is_compared = false;  // is compared with what the reference gives
  bool is_mapped = false;    // lies in host memory
  bool by_value = false;     // in: its elements are among the parameters, not in the device's memory
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
  std::vector<NamedText> values;  // the values of the problem
};

// Steps with the image that holds their entries.
struct StepsSetup {
  std::vector<ResolvedStep> steps;
  Image image;
  std::vector<StepArgument> arguments;  // scratch arrays as large as this configuration needs them
  std::uint64_t untimed = 0;            // how many of the steps, the last ones, are [[verify]]
  std::optional<PeerSetup> peer = {};   // runs before the steps, which are [[verify]] alone
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
  std::string configuration;  // its text, by which deaths are counted and recorded trials found
  int attempt = 1;
  StepsSetup steps;
};

// The steps that make the expected result, or [[prepare]], do not compile. The message holds the compiler's log.
class ReferenceDoesNotCompile : public Error {
 public:
  using Error::Error;
};

// Compiles one image. A coordinator has its pool do that.
using CompileOne = std::function<CompileOutcome(const ImageRequest&)>;

}  // namespace attune
