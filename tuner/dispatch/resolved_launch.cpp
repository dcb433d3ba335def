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

// A plan for certain arguments: a frame on the heap, and scratch memory of its own.
struct ResolvedLaunch::State {
  State(std::shared_ptr<const PlanParts> of, std::span<const PlanArgument> arguments)
      : parts(parts_of_own(std::move(of))),
        plan(parts->steps()),
        scratch(parts->device(), *plan->loaded),
        frame(*plan->loaded) {
    plan->arguments.encode(arguments, frame.slots());
    scratch.pass_to(frame);
    const std::string* misaligned = nullptr;
    if (const Status status = plan->maps.aim(*plan->loaded, parts->device(), frame, misaligned); !status.ok())
      parts->fail("launch", status);
    if (const Status status = scratch.zero_now(parts->device()); !status.ok()) parts->fail("zeroing scratch", status);
    if (misaligned != nullptr) parts->warn_of_misaligned(*misaligned);
  }
  std::shared_ptr<const PlanParts> parts;
  std::shared_ptr<const PlanSteps> plan;
  ScratchMemory scratch;  // freed before `parts`, which hold the device
  LaunchFrame frame;
};

ResolvedLaunch::ResolvedLaunch(std::shared_ptr<const PlanParts> parts, std::span<const PlanArgument> arguments)
    : state_(std::make_shared<State>(std::move(parts), arguments)) {
  const LoadedSteps& steps = *state_->plan->loaded;
  for (std::size_t i = 0; i < steps.symbols(); ++i) steps_.push_back(copy_of(state_->frame.upload(i)));
  for (std::size_t i = 0; i < steps.size(); ++i) steps_.push_back(step_of(state_->frame.operation(i), steps, i));
}

ResolvedLaunch::ResolvedLaunch(ResolvedLaunch&&) noexcept = default;
ResolvedLaunch& ResolvedLaunch::operator=(ResolvedLaunch&&) noexcept = default;
ResolvedLaunch::~ResolvedLaunch() = default;

[[gnu::hot]] void ResolvedLaunch::launch(StreamHandle stream) const {
  const PlanParts& parts = *state_->parts;
  const LoadedSteps& steps = *state_->plan->loaded;
  if (parts.device().is_captured(stream))
    if (const Status status = parts.device().keep_in_graph(stream, state_); !status.ok()) parts.fail("capture", status);
  for (std::size_t i = 0; i < steps.symbols(); ++i)
    parts.enqueue(state_->frame.upload(i), "setting a variable", stream);
  for (std::size_t i = 0; i < steps.size(); ++i) parts.enqueue(state_->frame.operation(i), steps.name(i), stream);
}

}  // namespace attune
