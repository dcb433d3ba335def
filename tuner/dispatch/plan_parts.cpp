#include "dispatch/plan_parts.hpp"

#include <fmt/format.h>

#include "attune/error.hpp"

namespace attune {
namespace {

[[noreturn]] void fail(const PlanParts& parts, std::string_view step, const Status& status) {
  throw Error(fmt::format("{} of plan {} ({}) on {} failed: {}: {}", step, parts.kernel, parts.problem.text(),
                          parts.device->info().name, to_text(status.verdict), status.detail));
}

}  // namespace

std::shared_ptr<const PlanParts> make_plan_parts(std::shared_ptr<Device> device, std::shared_ptr<Module> module,
                                                 const KernelSpec& spec, const Problem& problem, Match match,
                                                 std::span<const ResolvedStep> steps,
                                                 std::span<const ResolvedArgument> arguments, Status& status) {
  const auto loaded = std::make_shared<LoadedSteps>(std::move(module), step_arguments(spec, arguments));
  for (const ResolvedStep& step : steps) {
    status = loaded->add(step);
    if (status.ok()) continue;
    status.detail = fmt::format("{}: {}", step.expression, status.detail);
    return nullptr;
  }
  return std::make_shared<const PlanParts>(
      PlanParts{std::move(device), spec.name, problem, std::move(match), ArgumentTable(spec, arguments), loaded});
}

StepBinding PlanParts::bind() const {
  StepBinding binding(steps);
  Status status = binding.make_scratch(*device, Guards::none);
  // Any stream may be the first to launch, so the zeros must be there for all of them.
  if (status.ok() && binding.has_scratch()) status = device->synchronize(nullptr);
  if (!status.ok()) fail(*this, "zeroing scratch", status);
  return binding;
}

void PlanParts::launch(StepBinding& binding, StreamHandle stream, std::span<const PlanArgument> passed) const {
  arguments.encode(passed, binding.slots());
  const std::span<const Operation> operations = binding.operations();
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const Status status = device->enqueue(operations[i], stream);
    if (!status.ok()) fail(*this, steps->name(i), status);
  }
}

}  // namespace attune
