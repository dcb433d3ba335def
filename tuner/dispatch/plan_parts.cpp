#include "dispatch/plan_parts.hpp"

#include <fmt/format.h>

#include "attune/error.hpp"
#include "kernel/empty_problem.hpp"

namespace attune {
namespace {

// Cold functions are compiled for size: libattune.so is to stay small.

// Returns null where the device refuses a step or a variable, which `status` then names.
[[gnu::cold]] std::shared_ptr<const LoadedSteps> load_steps(const PlanContext& context, std::shared_ptr<Module> module,
                                                            std::vector<StepArgument> arguments,
                                                            std::span<const ResolvedStep> steps, Status& status) {
  const std::lock_guard lock(context.functions);
  auto loaded = std::make_shared<LoadedSteps>(std::move(module), std::move(arguments));
  for (const ResolvedStep& step : steps) {
    status = loaded->add(step);
    if (status.ok()) continue;
    status.detail = fmt::format("{}: {}", step.expression, status.detail);
    return nullptr;
  }
  status = loaded->find_symbols();
  return status.ok() ? loaded : nullptr;
}

[[gnu::cold]] std::shared_ptr<const PlanSteps> make_steps(const PlanContext& context, const KernelSpec& kernel,
                                                          const std::shared_ptr<Module>& module,
                                                          const ResolvedPlan& resolved, Status& status) {
  auto loaded = load_steps(context, module, step_arguments(kernel, resolved.arguments), resolved.steps, status);
  if (loaded == nullptr) return nullptr;
  return std::make_shared<PlanSteps>(ArgumentTable(kernel, resolved.arguments), std::move(loaded), context.held);
}

// What a graph holds of a captured launch by frame.
struct CapturedLaunch {
  std::shared_ptr<const PlanParts> parts;
  ScratchMemory scratch;  // gone before the device
};

// Gives the graph what it needs: the parts, and zeroed scratch memory of its own. Neither the allocation nor the
// zeroing may be captured, because the graph would repeat it.
[[gnu::cold]] void hold_with_scratch(const std::shared_ptr<const PlanParts>& parts, LaunchFrame& frame,
                                     StreamHandle stream) {
  Device& device = parts->device();
  const auto held = std::make_shared<CapturedLaunch>(parts, ScratchMemory(device, *parts->kept_steps->loaded));
  if (const Status status = held->scratch.zero_now(device); !status.ok()) parts->fail("zeroing scratch", status);
  held->scratch.pass_to(frame);
  if (const Status status = device.keep_in_graph(stream, held); !status.ok()) parts->fail("capture", status);
}

void enqueue_steps(const PlanParts& parts, const LaunchFrame& frame, StreamHandle stream) {
  const LoadedSteps& steps = *parts.kept_steps->loaded;
  for (std::size_t i = 0; i < steps.size(); ++i) parts.enqueue(frame.operation(i), steps.name(i), stream);
}

void enqueue_with_scratch(const PlanParts& parts, LaunchFrame& frame, StreamHandle stream) {
  const PlanSteps& steps = *parts.kept_steps;
  StreamScratch::Use use(steps.scratch, parts.device().stream_id(stream));
  Status status;
  use.memory(parts.device(), *steps.loaded, stream, status).pass_to(frame);
  if (!status.ok()) parts.fail("zeroing scratch", status);
  enqueue_steps(parts, frame, stream);
  use.done();
}

}  // namespace

[[gnu::cold]] ResolvedPlan resolve_plan(const KernelSpec& kernel, const Problem& problem,
                                        const Configuration& configuration, const DeviceInfo& device) {
  const Configuration* const used = launches_nothing(kernel, problem) ? nullptr : &configuration;
  return {resolve_steps(kernel, kernel.launch, problem, used, device),
          resolve_arguments(kernel, problem, used, device)};
}

[[gnu::cold]] std::shared_ptr<const PlanParts> make_plan_parts(std::shared_ptr<const PlanContext> context,
                                                               std::shared_ptr<const KernelSpec> kernel, PlanCode code,
                                                               const Problem& problem, Match match,
                                                               const ResolvedPlan& resolved, Status& status) {
  auto steps = make_steps(*context, *kernel, code.module, resolved, status);
  if (steps == nullptr) return nullptr;
  const auto parts =
      std::make_shared<PlanParts>(std::move(context), std::move(kernel), std::move(code), problem, std::move(match));
  parts->block = LaunchBlock::make(*parts, *steps);
  if (parts->block == nullptr) parts->kept_steps = std::move(steps);
  return parts;
}

[[gnu::cold]] std::shared_ptr<const PlanSteps> PlanParts::steps() const {
  if (kept_steps != nullptr) return kept_steps;
  Status status;
  auto made = make_steps(*context, *kernel, code.module,
                         resolve_plan(*kernel, problem, match.configuration, device().info()), status);
  if (made == nullptr)
    throw Error(
        fmt::format("the steps of plan {} ({}) cannot be made again: {}", kernel->name, problem.text(), status.detail));
  return made;
}

const std::string* launch_by_frame(const std::shared_ptr<const PlanParts>& shared, StreamHandle stream,
                                   std::span<const PlanArgument> passed) {
  const PlanParts& parts = *shared;
  const PlanSteps& steps = *parts.kept_steps;
  LaunchFrame frame(*steps.loaded);
  steps.arguments.encode(passed, frame.slots());
  const std::string* misaligned = nullptr;
  if (const Status status = steps.maps.aim(*steps.loaded, parts.device(), frame, misaligned); !status.ok())
    parts.fail("launch", status);
  const bool is_captured = parts.device().is_captured(stream);
  if (is_captured) hold_with_scratch(shared, frame, stream);
  SymbolUploads::Turn turn;  // until the steps are enqueued that read the variables
  if (steps.loaded->has_variables()) {
    turn = steps.uploads.take_turn();
    steps.uploads.upload(parts, frame, stream, is_captured);
  }
  if (is_captured || steps.loaded->scratch().empty())
    enqueue_steps(parts, frame, stream);
  else
    enqueue_with_scratch(parts, frame, stream);
  return misaligned;
}

[[gnu::cold]] void hold_in_graph(const std::shared_ptr<const PlanParts>& parts, StreamHandle stream) {
  if (const Status status = parts->device().keep_in_graph(stream, parts); !status.ok()) parts->fail("capture", status);
}

[[gnu::cold]] std::shared_ptr<const PlanParts> parts_of_own(std::shared_ptr<const PlanParts> parts) {
  const PlanCode& code = parts->code;
  if (code.image == nullptr) return parts;
  LoadOutcome outcome = parts->device().load(*code.image);
  const PlanCode own{held_module(parts->context->held, std::move(outcome.module), code.bytes), code.bytes, code.image};
  const ResolvedPlan resolved =
      resolve_plan(*parts->kernel, parts->problem, parts->match.configuration, parts->device().info());
  std::shared_ptr<const PlanSteps> steps;
  if (outcome.status.ok()) steps = make_steps(*parts->context, *parts->kernel, own.module, resolved, outcome.status);
  if (steps == nullptr) parts->fail("loading the code", outcome.status);
  const auto made = std::make_shared<PlanParts>(parts->context, parts->kernel, own, parts->problem, parts->match);
  made->shared_module = parts->shared_module != nullptr ? parts->shared_module : code.module;
  made->kept_steps = std::move(steps);
  return made;
}

[[gnu::cold]] bool is_same_plan(const PlanParts& a, const PlanParts& b) {
  const auto module = [](const PlanParts& of) { return of.shared_module ? of.shared_module : of.code.module; };
  return a.match.configuration == b.match.configuration && a.match.rung == b.match.rung && a.match.why == b.match.why &&
         module(a) == module(b);
}

[[gnu::cold]] void PlanParts::fail(std::string_view step, const Status& status) const {
  throw_failed(status, fmt::format("{} of plan {} ({}) on {} failed: {}: {}", step, kernel->name, problem.text(),
                                   device().info().name, to_text(status.verdict), status.detail));
}

[[gnu::cold]] void PlanParts::warn_of_misaligned(const std::string& array) const {
  if (!context->warn) return;
  context->warn(
      fmt::format("plan {} ({}): the address of `{}` is no multiple of {}, so the kernel runs without its tensor map; "
                  "align the array",
                  kernel->name, problem.text(), array, tensor_array_alignment));
}

}  // namespace attune
