#include "attune/plan.hpp"

#include "dispatch/plan_parts.hpp"

namespace attune {

Plan::Plan(std::shared_ptr<const PlanParts> parts)
    : parts_(std::move(parts)), binding_(std::make_unique<StepBinding>(parts_->bind())) {}

Plan::Plan(const Plan& other) : Plan(other.parts_) {}
Plan::Plan(Plan&&) noexcept = default;
Plan& Plan::operator=(Plan other) noexcept {
  binding_ = std::move(other.binding_);  // first: the old one still needs the device of the old parts
  parts_ = std::move(other.parts_);
  misaligned_ = other.misaligned_;
  return *this;
}
Plan::~Plan() = default;

void Plan::launch_arguments(StreamHandle stream, std::span<const PlanArgument> arguments) const {
  const std::string* const misaligned = parts_->launch(*binding_, stream, arguments);
  if (misaligned != nullptr && misaligned_++ == 0) parts_->warn_of_misaligned(*misaligned);
}

ResolvedLaunch Plan::resolve_arguments(std::span<const PlanArgument> arguments) const {
  return ResolvedLaunch(parts_, arguments);
}

void Plan::refresh_symbols() const noexcept { binding_->forget_uploads(); }

const Match& Plan::match() const noexcept { return parts_->match; }
const Problem& Plan::problem() const noexcept { return parts_->problem; }

}  // namespace attune
