#include "attune/resolved_launch.hpp"

#include <utility>

#include "dispatch/plan_parts.hpp"

namespace attune {
namespace {

ResolvedLaunch::Step copy_of(const Operation& operation) {
  ResolvedLaunch::Step step;
  step.kind = ResolvedLaunch::Kind::copy;
  step.name = "copy into a variable";
  step.target = operation.target;
  step.source = operation.source;
  step.bytes = operation.bytes;
  return step;
}

ResolvedLaunch::Step step_of(const Operation& operation, const LoadedSteps& steps, std::size_t i) {
  ResolvedLaunch::Step step;
  step.name = steps.name(i);
  if (operation.kind == Operation::Kind::memset) {
    step.kind = ResolvedLaunch::Kind::memset;
    step.target = operation.target;
    step.bytes = operation.bytes;
    step.value = operation.value;
    return step;
  }
  step.function = operation.function;
  step.grid = operation.shape.grid;
  step.block = operation.shape.block;
  step.shared_bytes = operation.shape.shared_bytes;
  step.cluster = operation.shape.cluster;
  step.overlaps = operation.shape.overlaps;
  step.cooperative = operation.shape.cooperative;
  step.parameters = operation.parameters;
  step.parameter_bytes = steps.parameter_bytes(i);
  return step;
}

}  // namespace

struct ResolvedLaunch::State {
  State(std::shared_ptr<const PlanParts> of, std::span<const PlanArgument> arguments)
      : parts(parts_of_own(std::move(of))), binding(parts->steps) {
    parts->arguments.encode(arguments, binding.slots());
    scratch = ScratchMemory(*parts->device, *parts->steps);
    scratch.pass_to(binding);
    const std::string* misaligned = nullptr;
    if (const Status status = binding.aim_maps(*parts->device, misaligned); !status.ok()) parts->fail("launch", status);
    if (const Status status = scratch.zero_now(*parts->device); !status.ok()) parts->fail("zeroing scratch", status);
    if (misaligned != nullptr) parts->warn_of_misaligned(*misaligned);
  }
  std::shared_ptr<const PlanParts> parts;
  ScratchMemory scratch;  // freed before `parts`, which hold the device
  StepBinding binding;
};

ResolvedLaunch::ResolvedLaunch(std::shared_ptr<const PlanParts> parts, std::span<const PlanArgument> arguments)
    : state_(std::make_shared<State>(std::move(parts), arguments)) {
  for (const Operation& upload : state_->binding.uploads()) steps_.push_back(copy_of(upload));
  const std::span<const Operation> operations = state_->binding.operations();
  for (std::size_t i = 0; i < operations.size(); ++i)
    steps_.push_back(step_of(operations[i], *state_->parts->steps, i));
}

ResolvedLaunch::ResolvedLaunch(ResolvedLaunch&&) noexcept = default;
ResolvedLaunch& ResolvedLaunch::operator=(ResolvedLaunch&&) noexcept = default;
ResolvedLaunch::~ResolvedLaunch() = default;

[[gnu::hot]] void ResolvedLaunch::launch(StreamHandle stream) const {
  const PlanParts& parts = *state_->parts;
  if (parts.device->is_captured(stream))
    if (const Status status = parts.device->keep_in_graph(stream, state_); !status.ok()) parts.fail("capture", status);
  for (const Operation& upload : state_->binding.uploads()) parts.enqueue(upload, "setting a variable", stream);
  const std::span<const Operation> operations = state_->binding.operations();
  for (std::size_t i = 0; i < operations.size(); ++i) parts.enqueue(operations[i], parts.steps->name(i), stream);
}

}  // namespace attune
