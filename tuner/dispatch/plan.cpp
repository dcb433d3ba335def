#include "attune/plan.hpp"

#include "dispatch/plan_parts.hpp"

namespace attune {

Plan::Plan(std::shared_ptr<const PlanParts> parts) : parts_(parts_of_own(std::move(parts))) {}

Plan::Plan(const Plan& other) : Plan(other.parts_) {}
Plan::Plan(Plan&& other) noexcept : parts_(std::move(other.parts_)), misaligned_(other.misaligned_launches()) {}
Plan& Plan::operator=(Plan other) noexcept {
  parts_ = std::move(other.parts_);
  misaligned_.store(other.misaligned_launches(), std::memory_order_relaxed);
  return *this;
}
Plan::~Plan() = default;

[[gnu::hot]] void Plan::launch_arguments(StreamHandle stream, std::span<const PlanArgument> arguments) const {
  const std::string* const misaligned = launch_plan(parts_, stream, arguments);
  if (misaligned != nullptr && misaligned_.fetch_add(1, std::memory_order_relaxed) == 0)
    parts_->warn_of_misaligned(*misaligned);
}

ResolvedLaunch Plan::resolve_arguments(std::span<const PlanArgument> arguments) const {
  return ResolvedLaunch(parts_, arguments);
}

void Plan::refresh_symbols() const noexcept {
  if (parts_->kept_steps != nullptr) parts_->kept_steps->uploads.forget();
}

const Match& Plan::match() const noexcept { return parts_->match; }
const Problem& Plan::problem() const noexcept { return parts_->problem; }

}  // namespace attune
