#include "dispatch/plan_parts.hpp"

#include <fmt/format.h>

#include "attune/error.hpp"

namespace attune {
namespace {

[[noreturn]] void fail(const PlanParts& parts, std::string_view step, const Status& status) {
  throw Error(fmt::format("{} of plan {} ({}) on {} failed: {}: {}", step, parts.kernel, parts.problem.text(),
                          parts.device->info().name, to_text(status.verdict), status.detail));
}

// Returns null, with the step or variable in `status`, where the device refuses one.
std::shared_ptr<const LoadedSteps> load_steps(std::shared_ptr<Module> module,
                                              const std::vector<StepArgument>& arguments,
                                              std::span<const ResolvedStep> steps, Status& status) {
  auto loaded = std::make_shared<LoadedSteps>(std::move(module), arguments);
  for (const ResolvedStep& step : steps) {
    status = loaded->add(step);
    if (status.ok()) continue;
    status.detail = fmt::format("{}: {}", step.expression, status.detail);
    return nullptr;
  }
  status = loaded->find_symbols();
  return status.ok() ? loaded : nullptr;
}

std::shared_ptr<const LoadedSteps> steps_of(const PlanParts& parts) {
  if (!parts.own_module) return parts.steps;
  const auto& [image, steps, arguments] = *parts.own_module;
  LoadOutcome outcome = parts.device->load(image);
  std::shared_ptr<const LoadedSteps> loaded;
  if (outcome.status.ok()) loaded = load_steps(std::move(outcome.module), arguments, steps, outcome.status);
  if (loaded == nullptr) fail(parts, "loading the code", outcome.status);
  return loaded;
}

}  // namespace

std::shared_ptr<const PlanParts> make_plan_parts(std::shared_ptr<Device> device, std::shared_ptr<Module> module,
                                                 std::optional<Image> image, const KernelSpec& spec,
                                                 const Problem& problem, Match match,
                                                 std::span<const ResolvedStep> steps,
                                                 std::span<const ResolvedArgument> arguments, Status& status,
                                                 std::function<void(const std::string&)> warn) {
  const std::vector<StepArgument> bound = step_arguments(spec, arguments);
  auto loaded = load_steps(std::move(module), bound, steps, status);
  if (loaded == nullptr) return nullptr;
  std::optional<OwnModule> own;
  if (image) own = OwnModule{std::move(*image), {steps.begin(), steps.end()}, bound};
  return std::make_shared<const PlanParts>(PlanParts{std::move(device), spec.name, problem, std::move(match),
                                                     ArgumentTable(spec, arguments), std::move(loaded), std::move(own),
                                                     std::move(warn)});
}

StepBinding PlanParts::bind() const {
  StepBinding binding(steps_of(*this));
  Status status = binding.make_scratch(*device, Guards::none);
  // Any stream may be the first to launch, so the zeros must be there for all of them.
  if (status.ok() && binding.has_scratch()) status = device->synchronize(nullptr);
  if (!status.ok()) fail(*this, "zeroing scratch", status);
  return binding;
}

const std::string* PlanParts::fill_in(StepBinding& binding, std::span<const PlanArgument> passed) const {
  arguments.encode(passed, binding.slots());
  const std::string* misaligned = nullptr;
  if (const Status status = binding.aim_maps(*device, misaligned); !status.ok()) fail(*this, "launch", status);
  return misaligned;
}

void PlanParts::enqueue(StepBinding& binding, StreamHandle stream) const {
  const std::span<const Operation> uploads = binding.uploads_due();
  for (const Operation& upload : uploads)
    if (const Status status = device->enqueue(upload, stream); !status.ok()) fail(*this, "setting a variable", status);
  if (!uploads.empty()) binding.note_uploads();
  const std::span<const Operation> operations = binding.operations();
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const Status status = device->enqueue(operations[i], stream);
    if (!status.ok()) fail(*this, steps->name(i), status);
  }
}

void PlanParts::warn_of_misaligned(const std::string& array) const {
  if (!warn) return;
  warn(
      fmt::format("plan {} ({}): the address of `{}` is no multiple of {}, so the kernel runs without its tensor map; "
                  "align the array",
                  kernel, problem.text(), array, tensor_array_alignment));
}

}  // namespace attune
