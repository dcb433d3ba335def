// PlanParts: all that the copies of a plan share. Plan is that and a StepBinding of its own.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "attune/match.hpp"
#include "attune/plan.hpp"
#include "attune/stream_handle.hpp"
#include "device/step_binding.hpp"
#include "dispatch/argument_table.hpp"

namespace attune {

// Immutable once made; any thread. Keeps device and module alive.
struct PlanParts {
  std::shared_ptr<Device> device;
  std::string kernel;
  Problem problem;
  Match match;
  ArgumentTable arguments;
  std::shared_ptr<const LoadedSteps> steps;

  // Returns a binding with scratch memory of its own, zeroed. Throws OutOfMemory, Error.
  StepBinding bind() const;
  // Checks and writes the arguments, then enqueues every step. Throws what Plan::launch does.
  void launch(StepBinding& binding, StreamHandle stream, std::span<const PlanArgument> passed) const;
};

// Makes the parts for resolved steps whose entries are in `module`. On failure the status says which step the device
// refuses, and there are no parts. Not thread-safe per module.
std::shared_ptr<const PlanParts> make_plan_parts(std::shared_ptr<Device> device, std::shared_ptr<Module> module,
                                                 const KernelSpec& spec, const Problem& problem, Match match,
                                                 std::span<const ResolvedStep> steps,
                                                 std::span<const ResolvedArgument> arguments, Status& status);

}  // namespace attune
