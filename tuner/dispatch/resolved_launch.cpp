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
  step.parameters = operation.parameters;
  step.parameter_bytes = steps.parameter_bytes(i);
  return step;
}

}  // namespace

ResolvedLaunch::ResolvedLaunch(std::shared_ptr<const PlanParts> parts, std::span<const PlanArgument> arguments)
    : parts_(std::move(parts)), binding_(std::make_unique<StepBinding>(parts_->bind())) {
  if (const std::string* const misaligned = parts_->fill_in(*binding_, arguments))
    parts_->warn_of_misaligned(*misaligned);
  for (const Operation& upload : binding_->uploads_due()) steps_.push_back(copy_of(upload));
  const std::span<const Operation> operations = binding_->operations();
  for (std::size_t i = 0; i < operations.size(); ++i) steps_.push_back(step_of(operations[i], *parts_->steps, i));
}

ResolvedLaunch::ResolvedLaunch(ResolvedLaunch&&) noexcept = default;
ResolvedLaunch& ResolvedLaunch::operator=(ResolvedLaunch&& other) noexcept {
  steps_ = std::move(other.steps_);
  binding_ = std::move(other.binding_);  // before the parts: the old one still needs their device
  parts_ = std::move(other.parts_);
  return *this;
}
ResolvedLaunch::~ResolvedLaunch() = default;

void ResolvedLaunch::launch(StreamHandle stream) const {
  binding_->forget_uploads();
  parts_->enqueue(*binding_, stream);
}

}  // namespace attune
