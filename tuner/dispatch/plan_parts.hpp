// PlanParts: all that the copies of a plan share; LaunchBlock: what each copy owns. Plan is the two together.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attune/match.hpp"
#include "attune/plan.hpp"
#include "attune/stream_handle.hpp"
#include "kernel/instantiate.hpp"
#include "device/device.hpp"
#include "device/memory.hpp"
#include "dispatch/argument_table.hpp"

namespace attune {

// Immutable once made; any thread. Keeps device and module alive.
struct PlanParts {
  struct PlannedStep {
    Operation operation;             // less its pointers
    std::vector<std::size_t> slots;  // launch: of each kernel parameter; memset: of the argument
    std::string name;                // for messages
  };
  struct ScratchArgument {
    std::size_t slot;
    std::uint64_t bytes;
  };

  std::shared_ptr<Device> device;
  std::shared_ptr<Module> module;  // null when no step is a launch
  std::string kernel;
  Problem problem;
  Match match;
  ArgumentTable arguments;
  std::vector<PlannedStep> steps;
  std::vector<ScratchArgument> scratch;
};

// The parts for resolved steps whose entries are in `module`. On failure the status says which step the device refuses,
// and there are no parts. Not thread-safe per module.
std::shared_ptr<const PlanParts> make_plan_parts(std::shared_ptr<Device> device, std::shared_ptr<Module> module,
                                                 const KernelSpec& spec, const Problem& problem, Match match,
                                                 std::span<const ResolvedStep> steps,
                                                 std::span<const ResolvedArgument> arguments, Status& status);

// The parameters of a plan's launches, laid out so that a launch only writes the values and hands over pointers; and
// the scratch memory, zeroed. One thread at a time. The PlanParts must outlive it.
class LaunchBlock {
 public:
  explicit LaunchBlock(const PlanParts& parts);  // throws OutOfMemory, Error
  LaunchBlock(const LaunchBlock&) = delete;
  LaunchBlock& operator=(const LaunchBlock&) = delete;
  void launch(StreamHandle stream, std::span<const PlanArgument> arguments);

 private:
  void allocate_scratch();
  const PlanParts& parts_;
  std::vector<Slot> slots_;
  std::vector<void*> parameters_;      // of all launch steps, one after another: pointers into slots_
  std::vector<Operation> operations_;  // launches point into parameters_
  std::vector<DeviceMemory> scratch_;
};

}  // namespace attune
