#include "dispatch/launch_block.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <new>

#include "device/launch_frame.hpp"
#include "dispatch/plan_parts.hpp"

namespace attune {
namespace {

constexpr std::align_val_t alignment{64};  // a line of the cache

// How many arguments and parameters a launch has room for on its stack. Plans with more have no block.
constexpr std::size_t most_passed = 64, most_parameters = 128;
constexpr std::size_t constant_bytes = 16;

std::size_t rounded(std::size_t offset, std::size_t to) { return (offset + to - 1) / to * to; }

std::size_t parameters_of(const LoadedSteps& steps) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) count += steps.arguments_of(i).size();
  return count;
}

// Returns whether an argument may be in a block. Tensor maps may not: they have 128 bytes, also where a configuration
// does without them. Arrays by value may not: they may be as long, and may lie in memory that is less aligned than
// their parameter on the host device must be.
bool is_small(const StepArgument& argument) {
  const bool is_by_value = is_array(argument.role) && !argument.value.empty();
  return argument.role != Role::map && !is_by_value && argument.value.size() <= constant_bytes;
}

}  // namespace

// A source is the place of a passed argument, or the offset of a constant from the block's start. Both are told apart
// because every offset is larger than the number of passed arguments.
[[gnu::cold]] LaunchBlock::Layout LaunchBlock::layout_of(const PlanSteps& plan) {
  const LoadedSteps& steps = *plan.loaded;
  const std::size_t passed = plan.arguments.forms().size();
  Layout layout;
  layout.steps = rounded(sizeof(LaunchBlock), alignof(BlockStep));
  layout.sources = layout.steps + steps.size() * sizeof(BlockStep);
  layout.constants =
      rounded(std::max(layout.sources + parameters_of(steps) * sizeof(std::uint16_t), passed), sizeof(Constant));
  layout.forms = rounded(layout.constants + (steps.arguments() - passed) * sizeof(Constant), alignof(ArgumentForm));
  layout.end = layout.forms + plan.arguments.forms().size_bytes();
  return layout;
}

[[gnu::cold]] LaunchBlock::Owner LaunchBlock::make(const PlanParts& parts, const PlanSteps& plan) {
  const LoadedSteps& steps = *plan.loaded;
  bool is_plain = !steps.has_variables() && steps.scratch().empty() && plan.arguments.forms().size() <= most_passed &&
                  parameters_of(steps) <= most_parameters;
  for (std::size_t i = 0; i < steps.arguments(); ++i) is_plain = is_plain && is_small(steps.argument(i));
  const Layout layout = layout_of(plan);
  if (!is_plain || layout.end > std::numeric_limits<std::uint16_t>::max()) return nullptr;
  void* const memory = ::operator new(layout.end, alignment);
  return Owner(new (memory) LaunchBlock(parts, plan, layout));
}

void LaunchBlock::Free::operator()(const LaunchBlock* block) const noexcept {
  ::operator delete(const_cast<LaunchBlock*>(block), alignment);  // all that it holds is plain bytes
}

[[gnu::cold]] LaunchBlock::LaunchBlock(const PlanParts& parts, const PlanSteps& plan, const Layout& layout)
    : parts_(parts),
      device_(parts.device()),
      passed_(static_cast<std::uint16_t>(plan.arguments.forms().size())),
      steps_(static_cast<std::uint16_t>(plan.loaded->size())),
      parameters_(static_cast<std::uint16_t>(parameters_of(*plan.loaded))),
      steps_at_(static_cast<std::uint16_t>(layout.steps)),
      sources_at_(static_cast<std::uint16_t>(layout.sources)),
      forms_at_(static_cast<std::uint16_t>(layout.forms)),
      bytes_(static_cast<std::uint16_t>(layout.end)) {
  const LoadedSteps& steps = *plan.loaded;
  const std::span<const ArgumentForm> forms = plan.arguments.forms();
  std::vector<std::size_t> sources(steps.arguments());
  std::size_t constant_at = layout.constants;
  for (std::size_t i = 0; i < steps.arguments(); ++i) {
    const auto form = std::ranges::find(forms, i, &ArgumentForm::slot);
    if (form != forms.end()) {
      sources[i] = static_cast<std::size_t>(form - forms.begin());
      continue;
    }
    Constant constant{};
    std::ranges::copy(steps.argument(i).value, constant.begin());
    put(constant_at, constant);
    sources[i] = constant_at;
    constant_at += sizeof constant;
  }
  std::uint32_t parameter = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    put(layout.steps + i * sizeof(BlockStep), BlockStep{steps.prototype(i), parameter});
    for (const std::size_t argument : steps.arguments_of(i)) {
      const std::size_t at = layout.sources + parameter++ * sizeof(std::uint16_t);
      put(at, static_cast<std::uint16_t>(sources[argument]));
    }
  }
  for (std::size_t i = 0; i < passed_; ++i) put(layout.forms + i * sizeof(ArgumentForm), forms[i]);
}

// The functions of a launch are marked hot, so that they lie side by side.
[[gnu::hot]] void LaunchBlock::launch(StreamHandle stream, std::span<const PlanArgument> passed) const {
  const void* bytes[most_passed];
  std::uint64_t converted[most_passed];
  void* parameters[most_parameters];
  if (passed.size() != passed_) [[unlikely]]
    return refuse(passed);
  const auto* const forms = at<ArgumentForm>(forms_at_);
  for (std::size_t i = 0; i < passed.size(); ++i) {
    bytes[i] = forms[i].bytes_of(passed[i], converted[i]);
    if (bytes[i] == nullptr) [[unlikely]]
      return refuse(passed);
  }
  const auto* const sources = at<std::uint16_t>(sources_at_);
  for (std::size_t i = 0; i < parameters_; ++i) {
    const std::size_t source = sources[i];
    parameters[i] = const_cast<void*>(source < passed.size() ? bytes[source] : at<void>(source));  // only read
  }
  const auto* const steps = at<BlockStep>(steps_at_);
  for (std::size_t i = 0; i < steps_; ++i) {
    const Operation& operation = steps[i].operation;
    void** const first = parameters + steps[i].first;
    const Status status = operation.kind == Operation::Kind::memset ? set_memory(operation, *first, stream)
                                                                    : device_.enqueue_with(operation, first, stream);
    if (!status.ok()) [[unlikely]]
      fail(i, status);
  }
}

Status LaunchBlock::set_memory(Operation memset, const void* array, StreamHandle stream) const {
  memset.target = LoadedSteps::array_in(array);
  return device_.enqueue(memset, stream);
}

// Throws, saying which argument does not fit.
[[gnu::cold]] void LaunchBlock::refuse(std::span<const PlanArgument> passed) const {
  const auto steps = parts_.steps();
  LaunchFrame frame(*steps->loaded);
  steps->arguments.encode(passed, frame.slots());
}

// A device that has faulted may refuse to make the steps again.
[[gnu::cold]] void LaunchBlock::fail(std::size_t step, const Status& status) const {
  std::string name = fmt::format("step {}", step + 1);
  try {
    name = parts_.steps()->loaded->name(step);
  } catch (const Error&) {
  }
  parts_.fail(name, status);
}

}  // namespace attune
