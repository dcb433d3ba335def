#include "device/loaded_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "attune/error.hpp"

namespace attune {

// Cold functions are compiled for size, to keep libattune.so small.
[[gnu::cold]] std::vector<StepArgument> step_arguments(const KernelSpec& spec,
                                                       std::span<const ResolvedArgument> resolved) {
  std::vector<StepArgument> arguments;
  for (std::size_t i = 0; i < resolved.size(); ++i) {
    StepArgument& argument = arguments.emplace_back();
    argument = {spec.arguments[i].name, resolved[i].role, resolved[i].bytes, {}, resolved[i].symbol, resolved[i].map};
    if (is_array(argument.role) && !resolved[i].by_value) continue;
    argument.value.resize(resolved[i].bytes);
    if (!resolved[i].value) continue;
    const auto encoded = encode_scalar(*resolved[i].value, resolved[i].type);
    std::copy_n(encoded.begin(), argument.value.size(), argument.value.begin());
  }
  return arguments;
}

[[gnu::cold]] LoadedSteps::LoadedSteps(std::shared_ptr<Module> module, std::vector<StepArgument> arguments)
    : module_(std::move(module)), arguments_(std::move(arguments)) {
  for (const StepArgument& argument : arguments_) {
    if (argument.map) maps_.push_back(places_.size());
    add_argument(argument);
  }
  // An array of pointers follows the bytes.
  pointers_at_ = (bytes_.size() + least_alignment - 1) / least_alignment * least_alignment;
}

[[gnu::cold]] void LoadedSteps::add_argument(const StepArgument& argument) {
  const std::size_t size = std::max(argument.value.size(), least_alignment);
  const std::size_t alignment = std::min(std::bit_ceil(size), most_alignment);
  const std::size_t offset = (bytes_.size() + alignment - 1) / alignment * alignment;
  places_.push_back(offset);
  slack_ = std::max(slack_, alignment - least_alignment);
  bytes_.resize(offset + size);
  std::ranges::copy(argument.value, bytes_.begin() + static_cast<std::ptrdiff_t>(offset));
}

[[gnu::cold]] void LoadedSteps::add_step(BoundStep step) {
  if (step.operation.kind != Operation::Kind::memset) {
    step.first_parameter = places_.size();
    for (const std::size_t argument : step.arguments) places_.push_back(std::size_t{places_[argument]});
  }
  for (const std::size_t argument : step.arguments) {
    if (arguments_[argument].role != Role::scratch) continue;
    const auto place = std::ranges::lower_bound(scratch_, argument);
    if (place == scratch_.end() || *place != argument) scratch_.insert(place, argument);
  }
  steps_.push_back(std::move(step));
}

[[gnu::cold]] Status LoadedSteps::add(const ResolvedStep& step) {
  Status status;
  BoundStep made;
  if (step.kind == StepKind::memset) {
    const StepArgument& target = arguments_[step.memset_argument];
    if (target.bytes == 0) return status;
    made.name = fmt::format("memset of `{}`", target.name);
    made.arguments = {step.memset_argument};
    made.operation.kind = Operation::Kind::memset;
    made.operation.bytes = target.bytes;
    made.operation.value = step.memset_value;
  } else {
    made.name = step.expression;
    made.arguments = step.arguments;
    made.operation.shape = step.shape;
    made.operation.function = module_->function(step.expression, step.shape, status);
  }
  if (status.ok()) add_step(std::move(made));
  return status;
}

[[gnu::cold]] void LoadedSteps::add(std::shared_ptr<Routine> routine, std::string name) {
  BoundStep made;
  made.name = std::move(name);
  for (std::size_t i = 0; i < arguments_.size(); ++i) made.arguments.push_back(i);
  made.operation.kind = Operation::Kind::routine;
  made.operation.routine = routine.get();
  routines_.push_back(std::move(routine));
  add_step(std::move(made));
}

[[gnu::cold]] Status LoadedSteps::find_symbols() {
  Status status;
  for (std::size_t i = 0; i < arguments_.size() && module_ != nullptr; ++i) {
    const StepArgument& argument = arguments_[i];
    const bool is_scratch = argument.role == Role::scratch;
    if (argument.symbol.empty() || (is_scratch && !std::ranges::binary_search(scratch_, i))) continue;
    const Variable variable = module_->variable(argument.symbol, status);
    if (!status.ok()) return status;
    if (variable.bytes < argument.bytes)
      return {Verdict::load_error,
              fmt::format("the variable `{}` has {} bytes, and the argument `{}`, its content, has {}",
                          argument.symbol.substr(1), variable.bytes, argument.name, argument.bytes),
              false};
    has_variables_ = true;
    if (is_scratch) {
      scratch_.erase(std::ranges::lower_bound(scratch_, i));
      std::memcpy(bytes_.data() + places_[i], &variable.address, sizeof variable.address);
    } else {
      symbols_.push_back({i, variable});
    }
  }
  return status;
}

[[gnu::cold]] std::vector<std::size_t> LoadedSteps::parameter_bytes(std::size_t i) const {
  std::vector<std::size_t> bytes;
  if (steps_[i].operation.kind == Operation::Kind::memset) return bytes;
  for (const std::size_t argument : steps_[i].arguments) {
    const std::size_t value = arguments_[argument].value.size();
    bytes.push_back(value > 0 ? value : sizeof(void*));
  }
  return bytes;
}

void** LoadedSteps::lay_out(std::byte* memory) const noexcept {
  std::byte* const bytes = memory + (-reinterpret_cast<std::uintptr_t>(memory) & (slack_ + least_alignment - 1));
  if (!bytes_.empty()) std::memcpy(bytes, bytes_.data(), bytes_.size());
  auto** const slots = reinterpret_cast<void**>(bytes + pointers_at_);
  void** slot = slots;
  for (const std::size_t place : places_) *slot++ = bytes + place;
  return slots;
}

void LoadedSteps::copy_values(void** slots, void* const* from) const noexcept {
  std::memcpy(reinterpret_cast<std::byte*>(slots) - pointers_at_,
              reinterpret_cast<const std::byte*>(from) - pointers_at_, bytes_.size());
}

Operation LoadedSteps::operation(std::size_t i, void** slots) const noexcept {
  const BoundStep& step = steps_[i];
  Operation operation = step.operation;
  if (operation.kind == Operation::Kind::memset)
    operation.target = array_in(slots[step.arguments.front()]);
  else
    operation.parameters = slots + step.first_parameter;
  return operation;
}

Operation LoadedSteps::upload(std::size_t symbol, void* const* slots) const noexcept {
  const Symbol& of = symbols_[symbol];
  Operation copy;
  copy.kind = Operation::Kind::copy;
  copy.target = of.variable.address;
  copy.source = array_in(slots[of.argument]);
  copy.bytes = arguments_[of.argument].bytes;
  return copy;
}

Status LoadedSteps::encode_map(Device& device, std::size_t map, void* array, void* bytes) const {
  Status status = device.encode_map(arguments_[map].map->layout, array, bytes);
  if (!status.ok()) status.detail = fmt::format("argument `{}`: {}", arguments_[map].name, status.detail);
  return status;
}

[[gnu::cold]] OutOfMemory no_room_for(const StepArgument& argument, const OutOfMemory& error) {
  return OutOfMemory(fmt::format("scratch `{}`: {}", argument.name, error.what()));
}

[[gnu::cold]] DeviceMemory scratch_memory(Device& device, const StepArgument& argument) {
  try {
    return DeviceMemory(device, argument.bytes);
  } catch (const OutOfMemory& error) {
    throw no_room_for(argument, error);
  }
}

}  // namespace attune
