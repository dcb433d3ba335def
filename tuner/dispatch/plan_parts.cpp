#include "dispatch/plan_parts.hpp"

#include <fmt/format.h>

#include <cstring>

#include "attune/error.hpp"

namespace attune {
namespace {

using PlannedStep = PlanParts::PlannedStep;

PlannedStep planned_launch(const ResolvedStep& step, Module& module, Status& status) {
  PlannedStep planned;
  planned.name = step.expression;
  planned.slots = step.arguments;
  planned.operation.kind = Operation::Kind::launch;
  planned.operation.shape = step.shape;
  planned.operation.function = module.function(step.expression, step.shape, status);
  return planned;
}

PlannedStep planned_memset(const ResolvedStep& step, const KernelSpec& spec,
                           std::span<const ResolvedArgument> arguments) {
  PlannedStep planned;
  planned.name = fmt::format("memset of `{}`", spec.arguments[step.memset_argument].name);
  planned.slots = {step.memset_argument};
  planned.operation.kind = Operation::Kind::memset;
  planned.operation.bytes = arguments[step.memset_argument].bytes;
  planned.operation.value = step.memset_value;
  return planned;
}

[[noreturn]] void fail(const PlanParts& parts, std::string_view step, const Status& status) {
  throw Error(fmt::format("{} of plan {} ({}) on {} failed: {}: {}", step, parts.kernel, parts.problem.text(),
                          parts.device->info().name, to_text(status.verdict), status.detail));
}

}  // namespace

std::shared_ptr<const PlanParts> make_plan_parts(std::shared_ptr<Device> device, std::shared_ptr<Module> module,
                                                 const KernelSpec& spec, const Problem& problem, Match match,
                                                 std::span<const ResolvedStep> steps,
                                                 std::span<const ResolvedArgument> arguments, Status& status) {
  std::vector<PlannedStep> planned;
  for (const ResolvedStep& step : steps) {
    if (step.kind == StepKind::memset) {
      if (arguments[step.memset_argument].bytes > 0) planned.push_back(planned_memset(step, spec, arguments));
      continue;
    }
    planned.push_back(planned_launch(step, *module, status));
    if (!status.ok()) {
      status.detail = fmt::format("{}: {}", step.expression, status.detail);
      return nullptr;
    }
  }
  std::vector<PlanParts::ScratchArgument> scratch;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].role == Role::scratch) scratch.push_back({i, arguments[i].bytes});
  }
  return std::make_shared<const PlanParts>(PlanParts{std::move(device), std::move(module), spec.name, problem,
                                                     std::move(match), ArgumentTable(spec, arguments),
                                                     std::move(planned), std::move(scratch)});
}

LaunchBlock::LaunchBlock(const PlanParts& parts) : parts_(parts), slots_(parts.arguments.initial_slots()) {
  std::size_t count = 0;
  for (const PlannedStep& step : parts.steps) count += step.slots.size();
  parameters_.reserve(count);  // so that pointers into it stay valid
  operations_.reserve(parts.steps.size());
  for (const PlannedStep& step : parts.steps) {
    Operation& operation = operations_.emplace_back(step.operation);
    if (operation.kind != Operation::Kind::launch) continue;
    operation.parameters = parameters_.data() + parameters_.size();
    for (const std::size_t slot : step.slots) parameters_.push_back(slots_[slot].data());
  }
  if (!parts.scratch.empty()) allocate_scratch();
}

void LaunchBlock::allocate_scratch() {
  Device& device = *parts_.device;
  for (const auto& [slot, bytes] : parts_.scratch) {
    const DeviceMemory& memory = scratch_.emplace_back(device, bytes);
    void* const address = memory.data();
    std::memcpy(slots_[slot].data(), &address, sizeof address);
    if (bytes == 0) continue;
    Operation zero;
    zero.kind = Operation::Kind::memset;
    zero.target = address;
    zero.bytes = bytes;
    if (const Status status = device.enqueue(zero, nullptr); !status.ok()) fail(parts_, "zeroing scratch", status);
  }
  // Any stream may be the first to launch, so the zeros must be there for all of them.
  if (const Status status = device.synchronize(nullptr); !status.ok()) fail(parts_, "zeroing scratch", status);
}

void LaunchBlock::launch(StreamHandle stream, std::span<const PlanArgument> arguments) {
  parts_.arguments.encode(arguments, slots_);
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    Operation& operation = operations_[i];
    if (operation.kind == Operation::Kind::memset) {
      std::memcpy(&operation.target, slots_[parts_.steps[i].slots.front()].data(), sizeof operation.target);
    }
    if (const Status status = parts_.device->enqueue(operation, stream); !status.ok()) {
      fail(parts_, parts_.steps[i].name, status);
    }
  }
}

}  // namespace attune
