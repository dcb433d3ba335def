#include "dispatch/plan_parts.hpp"

#include <fmt/format.h>

#include "attune/error.hpp"

namespace attune {
namespace {

// Cold functions are compiled for size: libattune.so is to stay small.

// Returns null where the device refuses a step or a variable, which `status` then names.
[[gnu::cold]] std::shared_ptr<const LoadedSteps> load_steps(std::shared_ptr<Module> module,
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

// What a graph holds of a captured launch.
struct CapturedLaunch {
  std::shared_ptr<const PlanParts> parts;
  ScratchMemory scratch;  // gone before the device
};

// Gives the graph what it needs: the parts, and zeroed scratch memory of its own. Neither the allocation nor the
// zeroing may be captured, because the graph would repeat it.
[[gnu::cold]] void hold_in_graph(const std::shared_ptr<const PlanParts>& parts, LaunchFrame& frame,
                                 StreamHandle stream) {
  const auto held = std::make_shared<CapturedLaunch>(parts, ScratchMemory(*parts->device, *parts->steps));
  if (const Status status = held->scratch.zero_now(*parts->device); !status.ok())
    parts->fail("zeroing scratch", status);
  held->scratch.pass_to(frame);
  if (const Status status = parts->device->keep_in_graph(stream, held); !status.ok()) parts->fail("capture", status);
}

void enqueue_steps(const PlanParts& parts, const LaunchFrame& frame, StreamHandle stream) {
  for (std::size_t i = 0; i < parts.steps->size(); ++i) parts.enqueue(frame.operation(i), parts.steps->name(i), stream);
}

void enqueue_with_scratch(const PlanParts& parts, LaunchFrame& frame, StreamHandle stream) {
  StreamScratch::Use use(parts.scratch, parts.device->stream_id(stream));
  Status status;
  use.memory(*parts.device, *parts.steps, stream, status).pass_to(frame);
  if (!status.ok()) parts.fail("zeroing scratch", status);
  enqueue_steps(parts, frame, stream);
  use.done();
}

}  // namespace

[[gnu::cold]] std::shared_ptr<const PlanParts> make_plan_parts(
    std::shared_ptr<Device> device, std::shared_ptr<Module> module, std::optional<Image> image, const KernelSpec& spec,
    const Problem& problem, Match match, std::span<const ResolvedStep> steps,
    std::span<const ResolvedArgument> arguments, Status& status, std::function<void(const std::string&)> warn,
    std::shared_ptr<Holdings> holdings) {
  const std::vector<StepArgument> bound = step_arguments(spec, arguments);
  auto loaded = load_steps(std::move(module), bound, steps, status);
  if (loaded == nullptr) return nullptr;
  std::optional<OwnModule> own;
  if (image) own = OwnModule{std::move(*image), {steps.begin(), steps.end()}, bound};
  std::shared_ptr<PlanParts> parts(new PlanParts{std::move(device),
                                                 spec.name,
                                                 problem,
                                                 std::move(match),
                                                 ArgumentTable(spec, arguments),
                                                 std::move(loaded),
                                                 std::move(own),
                                                 std::move(warn),
                                                 {},
                                                 {},
                                                 std::move(holdings)});
  parts->block = LaunchBlock::make(*parts);
  return parts;
}

const std::string* launch_by_frame(const std::shared_ptr<const PlanParts>& shared, StreamHandle stream,
                                   std::span<const PlanArgument> passed) {
  const PlanParts& parts = *shared;
  LaunchFrame frame(*parts.steps);
  parts.arguments.encode(passed, frame.slots());
  const std::string* misaligned = nullptr;
  if (const Status status = parts.maps.aim(*parts.steps, *parts.device, frame, misaligned); !status.ok())
    parts.fail("launch", status);
  const bool is_captured = parts.device->is_captured(stream);
  if (is_captured) hold_in_graph(shared, frame, stream);
  SymbolUploads::Turn turn;  // until the steps are enqueued that read the variables
  if (parts.steps->has_variables()) {
    turn = parts.uploads.take_turn();
    parts.uploads.upload(parts, frame, stream, is_captured);
  }
  if (is_captured || parts.steps->scratch().empty())
    enqueue_steps(parts, frame, stream);
  else
    enqueue_with_scratch(parts, frame, stream);
  return misaligned;
}

[[gnu::cold]] std::shared_ptr<const PlanParts> parts_of_own(std::shared_ptr<const PlanParts> parts) {
  if (!parts->own_module) return parts;
  const auto& [image, steps, arguments] = *parts->own_module;
  LoadOutcome outcome = parts->device->load(image);
  outcome.module = parts->holdings->hold(std::move(outcome.module), image);
  std::shared_ptr<const LoadedSteps> loaded;
  if (outcome.status.ok()) loaded = load_steps(std::move(outcome.module), arguments, steps, outcome.status);
  if (loaded == nullptr) parts->fail("loading the code", outcome.status);
  return std::shared_ptr<const PlanParts>(new PlanParts{parts->device,
                                                        parts->kernel,
                                                        parts->problem,
                                                        parts->match,
                                                        parts->arguments,
                                                        std::move(loaded),
                                                        parts->own_module,
                                                        parts->warn,
                                                        {},
                                                        {},
                                                        parts->holdings});
}

[[gnu::cold]] void PlanParts::fail(std::string_view step, const Status& status) const {
  throw Error(fmt::format("{} of plan {} ({}) on {} failed: {}: {}", step, kernel, problem.text(), device->info().name,
                          to_text(status.verdict), status.detail));
}

[[gnu::cold]] void PlanParts::warn_of_misaligned(const std::string& array) const {
  if (!warn) return;
  warn(
      fmt::format("plan {} ({}): the address of `{}` is no multiple of {}, so the kernel runs without its tensor map; "
                  "align the array",
                  kernel, problem.text(), array, tensor_array_alignment));
}

}  // namespace attune
