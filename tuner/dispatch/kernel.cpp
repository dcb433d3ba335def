#include "attune/kernel.hpp"

#include "dispatch/kernel_entries.hpp"

namespace attune {

[[gnu::hot]] void Kernel::launch_arguments(StreamHandle stream, std::span<const ProblemValue> values,
                                           std::span<const PlanArgument> arguments) const {
  entries_->launch(policy_, stream, values, arguments);
}

const std::string& Kernel::name() const noexcept { return entries_->name(); }

}  // namespace attune
