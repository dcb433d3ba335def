#include "worker/prepared_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "attune/error.hpp"

namespace attune {

Status PreparedSteps::prepare(Device& device, const ProblemData& data, const StepsSetup& steps,
                              PreparedSteps& prepared) {
  LoadOutcome loaded = device.load(steps.image);
  if (!loaded.status.ok()) return loaded.status;

  PreparedSteps made;
  made.module_ = std::move(loaded.module);
  made.scalars_ = steps.scalars;
  for (std::size_t i = 0; i < data.arguments().size(); ++i) made.bound_.arrays.push_back(data.array(i));
  if (Status status = made.allocate_scratch(device, data, steps); !status.ok()) return status;
  for (const ResolvedStep& step : steps.steps) {
    if (step.kind == StepKind::memset) {
      made.bind_memset(step, steps.bytes[step.memset_argument]);
      continue;
    }
    if (Status status = made.bind_launch(step); !status.ok()) return status;
  }
  prepared = std::move(made);  // moving a vector or a deque keeps the addresses of its elements
  return {};
}

Status PreparedSteps::allocate_scratch(Device& device, const ProblemData& data, const StepsSetup& steps) {
  for (std::size_t i = 0; i < data.arguments().size(); ++i) {
    if (data.arguments()[i].role != Role::scratch) continue;
    try {
      scratch_.push_back({i, DeviceMemory(device, steps.bytes[i], Guards::of_output)});
    } catch (const OutOfMemory& error) {
      return {Verdict::out_of_memory, fmt::format("scratch `{}`: {}", data.arguments()[i].name, error.what()), false};
    }
    DeviceMemory& memory = scratch_.back().memory;
    memory.arm_guards();
    Operation zero;
    zero.kind = Operation::Kind::memset;
    zero.target = memory.data();
    zero.bytes = memory.bytes();
    if (Status status = device.enqueue(zero, nullptr); !status.ok()) return status;
    bound_.arrays[i] = memory.data();
  }
  return {};
}

Status PreparedSteps::bind_launch(const ResolvedStep& step) {
  Operation launch;
  launch.kind = Operation::Kind::launch;
  launch.shape = step.shape;
  Status status;
  launch.function = module_->function(step.expression, step.shape, status);
  if (!status.ok()) return status;
  std::vector<void*>& list = bound_.parameters.emplace_back();
  for (const std::size_t argument : step.arguments)
    list.push_back(bound_.arrays[argument] != nullptr ? static_cast<void*>(&bound_.arrays[argument])
                                                      : static_cast<void*>(scalars_[argument].data()));
  launch.parameters = list.data();
  bound_.operations.push_back(launch);
  return {};
}

void PreparedSteps::bind_memset(const ResolvedStep& step, std::uint64_t bytes) {
  Operation operation;
  operation.kind = Operation::Kind::memset;
  operation.target = bound_.arrays[step.memset_argument];
  operation.bytes = bytes;
  operation.value = step.memset_value;
  bound_.operations.push_back(operation);
}

// Scratch is the plan's own, whatever it works on: launches in a row share it in applications, too.
PreparedSteps::Bound PreparedSteps::bound_to(const ProblemData& data, std::size_t set) {
  Bound made = bound_;
  for (std::size_t i = 0; i < made.arrays.size(); ++i)
    if (void* const memory = data.array(i, set)) made.arrays[i] = memory;
  const auto moved = [&](void* address) {
    const auto* const first = static_cast<void*>(bound_.arrays.data());
    const auto* const end = static_cast<void*>(bound_.arrays.data() + bound_.arrays.size());
    if (std::less<const void*>()(address, first) || !std::less<const void*>()(address, end)) return address;
    return static_cast<void*>(&made.arrays[static_cast<std::size_t>(static_cast<void**>(address) - &bound_.arrays[0])]);
  };
  std::size_t list = 0;
  for (Operation& operation : made.operations) {
    if (operation.kind == Operation::Kind::launch) {
      std::vector<void*>& parameters = made.parameters[list++];
      std::transform(parameters.begin(), parameters.end(), parameters.begin(), moved);
      operation.parameters = parameters.data();
    } else {
      const auto found = std::find(bound_.arrays.begin(), bound_.arrays.end(), operation.target);
      operation.target = made.arrays[static_cast<std::size_t>(found - bound_.arrays.begin())];
    }
  }
  return made;
}

std::vector<std::span<const Operation>> PreparedSteps::operations_by_set(const ProblemData& data) {
  while (1 + further_.size() < data.sets()) further_.push_back(bound_to(data, 1 + further_.size()));
  std::vector<std::span<const Operation>> sets{bound_.operations};
  for (const Bound& bound : further_) sets.emplace_back(bound.operations);
  return sets;
}

Status PreparedSteps::run(Device& device) const {
  for (const Operation& operation : bound_.operations)
    if (Status status = device.enqueue(operation, nullptr); !status.ok()) return status;
  return device.synchronize(nullptr);
}

Status PreparedSteps::check_scratch(const ProblemData& data) const {
  for (const Scratch& scratch : scratch_) {
    long long offset = 0;
    if (scratch.memory.guards_intact(offset)) continue;
    return {Verdict::guard,
            fmt::format("wrote outside scratch `{}`: the byte at offset {} of its {} bytes changed",
                        data.arguments()[scratch.argument].name, offset, scratch.memory.bytes()),
            false};
  }
  return {};
}

}  // namespace attune
