// PlanParts: all that the copies of a plan share. Plan is that and a StepBinding of its own.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "attune/match.hpp"
#include "attune/plan.hpp"
#include "attune/stream_handle.hpp"
#include "device/step_binding.hpp"
#include "dispatch/argument_table.hpp"

namespace attune {

// What a plan loads for itself alone.
struct OwnModule {
  Image image;
  std::vector<ResolvedStep> steps;
  std::vector<StepArgument> arguments;
};

// Immutable once made; any thread. Keeps device and module alive.
struct PlanParts {
  std::shared_ptr<Device> device;
  std::string kernel;
  Problem problem;
  Match match;
  ArgumentTable arguments;
  std::shared_ptr<const LoadedSteps> steps;
  // Of a kernel with symbols: plans that shared a module would set each other's variables.
  std::optional<OwnModule> own_module = {};
  std::function<void(const std::string&)> warn = {};  // of the dispatcher, which outlives all plans

  // Returns a binding with scratch memory of its own, zeroed. Throws OutOfMemory, Error.
  StepBinding bind() const;
  // Checks the arguments, writes them into the binding and encodes tensor maps. Throws what Plan::launch does. Returns
  // the name of an array that lies so that a tensor map of it is zeros, or null.
  const std::string* fill_in(StepBinding& binding, std::span<const PlanArgument> passed) const;
  // Enqueues what has to be uploaded, and every step, of a binding that is filled in. Throws Error.
  void enqueue(StepBinding& binding, StreamHandle stream) const;
  // Does both.
  const std::string* launch(StepBinding& binding, StreamHandle stream, std::span<const PlanArgument> passed) const {
    const std::string* const misaligned = fill_in(binding, passed);
    enqueue(binding, stream);
    return misaligned;
  }
  void warn_of_misaligned(const std::string& array) const;
};

// Makes the parts for resolved steps whose entries are in `module`; `image`: of a kernel with symbols. On failure the
// status says which step the device refuses, and there are no parts. Not thread-safe per module.
std::shared_ptr<const PlanParts> make_plan_parts(std::shared_ptr<Device> device, std::shared_ptr<Module> module,
                                                 std::optional<Image> image, const KernelSpec& spec,
                                                 const Problem& problem, Match match,
                                                 std::span<const ResolvedStep> steps,
                                                 std::span<const ResolvedArgument> arguments, Status& status,
                                                 std::function<void(const std::string&)> warn = {});

}  // namespace attune
