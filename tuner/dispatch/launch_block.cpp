#include "dispatch/launch_block.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>

#include "dispatch/plan_parts.hpp"

namespace attune {
namespace {

constexpr std::align_val_t alignment{64};  // a line of the cache

std::size_t rounded(std::size_t offset, std::size_t to) { return (offset + to - 1) / to * to; }

}  // namespace

LaunchBlock::Layout LaunchBlock::layout_of(const ArgumentTable& arguments, const LoadedSteps& steps) {
  Layout layout;
  layout.forms = rounded(sizeof(LaunchBlock), alignof(ArgumentForm));
  layout.steps = rounded(layout.forms + arguments.forms().size_bytes(), alignof(Step));
  layout.places = layout.steps + steps.size() * sizeof(Step);
  layout.values = rounded(layout.places + steps.places().size() * sizeof(std::uint16_t), alignof(void*));
  layout.end = layout.values + steps.first_values().size();
  return layout;
}

LaunchBlock::Owner LaunchBlock::make(const PlanParts& parts) {
  const LoadedSteps& steps = *parts.steps;
  const bool is_plain = steps.maps().empty() && steps.symbols() == 0 && steps.scratch().empty() &&
                        steps.frame_bytes() <= LaunchFrame::stack_bytes;
  const Layout layout = layout_of(parts.arguments, steps);
  if (!is_plain || layout.end > std::numeric_limits<std::uint16_t>::max()) return nullptr;
  void* const memory = ::operator new(layout.end, alignment);
  return Owner(new (memory) LaunchBlock(parts, layout));
}

void LaunchBlock::Free::operator()(const LaunchBlock* block) const noexcept {
  ::operator delete(const_cast<LaunchBlock*>(block), alignment);  // all that it holds is plain bytes
}

LaunchBlock::LaunchBlock(const PlanParts& parts, const Layout& layout)
    : parts_(parts),
      device_(*parts.device),
      passed_(static_cast<std::uint16_t>(parts.arguments.forms().size())),
      steps_(static_cast<std::uint16_t>(parts.steps->size())),
      slots_(static_cast<std::uint16_t>(parts.steps->places().size())),
      forms_at_(static_cast<std::uint16_t>(layout.forms)),
      steps_at_(static_cast<std::uint16_t>(layout.steps)),
      places_at_(static_cast<std::uint16_t>(layout.places)),
      values_at_(static_cast<std::uint16_t>(layout.values)),
      values_(static_cast<std::uint16_t>(parts.steps->first_values().size())),
      pointers_at_(static_cast<std::uint16_t>(parts.steps->pointers_at())) {
  const LoadedSteps& steps = *parts.steps;
  auto* const bytes = reinterpret_cast<std::byte*>(this);
  std::ranges::uninitialized_copy(parts.arguments.forms(), std::span(reinterpret_cast<ArgumentForm*>(bytes + forms_at_), passed_));
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto& [operation, slot] = steps.prototype(i);
    new (bytes + steps_at_ + i * sizeof(Step)) Step{operation, slot};
  }
  for (std::size_t i = 0; i < slots_; ++i) {
    const auto place = static_cast<std::uint16_t>(steps.places()[i]);
    std::memcpy(bytes + places_at_ + i * sizeof place, &place, sizeof place);
  }
  std::ranges::copy(steps.first_values(), bytes + values_at_);
}

bool LaunchBlock::launch(StreamHandle stream, std::span<const PlanArgument> passed, Status& status,
                         std::size_t& failed) const {
  if (passed.size() != passed_) return false;
  alignas(LoadedSteps::frame_alignment) std::byte frame[LaunchFrame::stack_bytes];
  std::memcpy(frame, at<std::byte>(values_at_), values_);
  auto** const slots = reinterpret_cast<void**>(frame + pointers_at_);
  const auto* const places = at<std::uint16_t>(places_at_);
  for (std::size_t i = 0; i < slots_; ++i) slots[i] = frame + places[i];
  const auto* const forms = at<ArgumentForm>(forms_at_);
  for (std::size_t i = 0; i < passed_; ++i)
    if (!forms[i].put(passed[i], slots[forms[i].slot])) return false;
  const auto* const steps = at<Step>(steps_at_);
  for (std::size_t i = 0; i < steps_; ++i) {
    Operation operation = steps[i].operation;
    if (operation.kind == Operation::Kind::memset)
      operation.target = LoadedSteps::array_in(slots[steps[i].slot]);
    else
      operation.parameters = slots + steps[i].slot;
    status = device_.enqueue(operation, stream);
    if (status.ok()) continue;
    failed = i;
    break;
  }
  return true;
}

}  // namespace attune
