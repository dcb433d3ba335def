#include "device/step_binding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "attune/error.hpp"

namespace attune {

std::vector<StepArgument> step_arguments(const KernelSpec& spec, std::span<const ResolvedArgument> resolved) {
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

LoadedSteps::LoadedSteps(std::shared_ptr<Module> module, std::vector<StepArgument> arguments)
    : module_(std::move(module)), arguments_(std::move(arguments)) {
  for (const StepArgument& argument : arguments_) {
    if (argument.map) maps_.push_back(offsets_.size());
    add_argument(argument);
  }
}

void LoadedSteps::add_argument(const StepArgument& argument) {
  const std::size_t size = std::max(argument.value.size(), least_alignment);
  const std::size_t alignment = std::min(std::bit_ceil(size), most_alignment);
  const std::size_t offset = (bytes_.size() + alignment - 1) / alignment * alignment;
  offsets_.push_back(offset);
  slack_ = std::max(slack_, alignment - least_alignment);
  bytes_.resize(offset + size);
  std::ranges::copy(argument.value, bytes_.begin() + static_cast<std::ptrdiff_t>(offset));
}

Status LoadedSteps::add(const ResolvedStep& step) {
  Status status;
  Step made;
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
  if (status.ok()) steps_.push_back(std::move(made));
  return status;
}

void LoadedSteps::add(std::shared_ptr<Routine> routine, std::string name) {
  Step& made = steps_.emplace_back();
  made.name = std::move(name);
  for (std::size_t i = 0; i < arguments_.size(); ++i) made.arguments.push_back(i);
  made.operation.kind = Operation::Kind::routine;
  made.operation.routine = routine.get();
  routines_.push_back(std::move(routine));
}

Status LoadedSteps::find_symbols() {
  Status status;
  for (std::size_t i = 0; i < arguments_.size() && module_ != nullptr; ++i) {
    const StepArgument& argument = arguments_[i];
    if (argument.symbol.empty()) continue;
    const Variable variable = module_->variable(argument.symbol, status);
    if (!status.ok()) return status;
    if (variable.bytes < argument.bytes)
      return {Verdict::load_error,
              fmt::format("the variable `{}` has {} bytes, and the argument `{}`, its content, has {}",
                          argument.symbol.substr(1), variable.bytes, argument.name, argument.bytes),
              false};
    symbols_.push_back({i, variable});
  }
  return status;
}

std::vector<std::size_t> LoadedSteps::parameter_bytes(std::size_t i) const {
  std::vector<std::size_t> bytes;
  if (steps_[i].operation.kind == Operation::Kind::memset) return bytes;
  for (const std::size_t argument : steps_[i].arguments) {
    const std::size_t value = arguments_[argument].value.size();
    bytes.push_back(value > 0 ? value : sizeof(void*));
  }
  return bytes;
}

StepBinding::StepBinding(std::shared_ptr<const LoadedSteps> steps)
    : steps_(std::move(steps)),
      memory_(std::make_unique_for_overwrite<std::byte[]>(steps_->bytes_.size() + steps_->slack_)),
      aimed_(steps_->maps_.size()) {
  const std::size_t alignment = steps_->slack_ + LoadedSteps::least_alignment;
  bytes_ = memory_.get() + -reinterpret_cast<std::uintptr_t>(memory_.get()) % alignment;
  std::ranges::copy(steps_->bytes_, bytes_);
  std::size_t count = steps_->offsets_.size();
  for (const LoadedSteps::Step& step : steps_->steps_) count += step.arguments.size();
  pointers_.reserve(count);  // so that pointers into it stay valid
  for (const std::size_t offset : steps_->offsets_) pointers_.push_back(bytes_ + offset);
  operations_.reserve(steps_->steps_.size());
  for (const LoadedSteps::Step& step : steps_->steps_) {
    Operation& operation = operations_.emplace_back(step.operation);
    if (operation.kind == Operation::Kind::memset) continue;
    operation.parameters = pointers_.data() + pointers_.size();
    for (const std::size_t argument : step.arguments) pointers_.push_back(pointers_[argument]);
  }
  for (const LoadedSteps::Symbol& symbol : steps_->symbols_) {
    Operation& copy = uploads_.emplace_back();
    copy.kind = Operation::Kind::copy;
    copy.target = symbol.variable.address;
    copy.bytes = steps_->arguments_[symbol.argument].bytes;
  }
  uploaded_.resize(uploads_.size());
}

StepBinding::StepBinding(const StepBinding& other) : StepBinding(other.steps_) {
  std::copy_n(other.bytes_, steps_->bytes_.size(), bytes_);
  aimed_ = other.aimed_;
}

void StepBinding::set_array(std::size_t argument, void* memory) {
  std::memcpy(pointers_[argument], &memory, sizeof memory);
}

Status StepBinding::aim_maps(Device& device, const std::string*& misaligned) {
  misaligned = nullptr;
  for (std::size_t i = 0; i < steps_->maps_.size(); ++i) {
    const std::size_t map = steps_->maps_[i];
    const ResolvedMap& resolved = *steps_->arguments_[map].map;
    void* array = nullptr;
    std::memcpy(&array, pointers_[resolved.array], sizeof array);
    const bool is_aligned = reinterpret_cast<std::uintptr_t>(array) % tensor_array_alignment == 0;
    if (!is_aligned) misaligned = &steps_->arguments_[resolved.array].name;
    if (array == aimed_[i]) continue;
    std::memset(pointers_[map], 0, tensor_map_bytes);
    if (is_aligned)
      if (Status status = device.encode_map(resolved.layout, array, pointers_[map]); !status.ok()) {
        status.detail = fmt::format("argument `{}`: {}", steps_->arguments_[map].name, status.detail);
        aimed_[i] = nullptr;
        return status;
      }
    aimed_[i] = array;
  }
  return {};
}

Status StepBinding::make_scratch(Device& device, Guards guards) {
  for (std::size_t i = 0; i < steps_->arguments_.size(); ++i) {
    const StepArgument& argument = steps_->arguments_[i];
    if (argument.role != Role::scratch) continue;
    try {
      scratch_.push_back({i, DeviceMemory(device, argument.bytes, guards)});
    } catch (const OutOfMemory& error) {
      throw OutOfMemory(fmt::format("scratch `{}`: {}", argument.name, error.what()));
    }
    DeviceMemory& memory = scratch_.back().memory;
    set_array(i, memory.data());
    if (guards != Guards::none) memory.arm_guards();
    if (argument.bytes == 0) continue;
    Operation zero;
    zero.kind = Operation::Kind::memset;
    zero.target = memory.data();
    zero.bytes = argument.bytes;
    if (Status status = device.enqueue(zero, nullptr); !status.ok()) return status;
  }
  return {};
}

void StepBinding::add_scratch(Checks& checks) const {
  for (const Scratch& scratch : scratch_) {
    const StepArgument& argument = steps_->arguments_[scratch.argument];
    scratch.memory.add_guards(checks, [&argument](long long offset) {
      return Status{Verdict::guard,
                    fmt::format("wrote outside scratch `{}`: the byte at offset {} of its {} bytes changed",
                                argument.name, offset, argument.bytes),
                    false};
    });
  }
}

std::span<const Operation> StepBinding::uploads_due() {
  bool are_due = false;
  for (std::size_t i = 0; i < uploads_.size(); ++i) {
    std::memcpy(&uploads_[i].source, pointers_[steps_->symbols_[i].argument], sizeof uploads_[i].source);
    are_due = are_due || uploads_[i].source != uploaded_[i];
  }
  return are_due ? std::span<const Operation>(uploads_) : std::span<const Operation>();
}

void StepBinding::note_uploads() {
  for (std::size_t i = 0; i < uploads_.size(); ++i) uploaded_[i] = uploads_[i].source;
}

void StepBinding::forget_uploads() noexcept { uploaded_.assign(uploaded_.size(), nullptr); }

std::span<const Operation> StepBinding::operations() {
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    Operation& operation = operations_[i];
    if (operation.kind == Operation::Kind::memset)
      std::memcpy(&operation.target, pointers_[steps_->steps_[i].arguments.front()], sizeof operation.target);
  }
  return operations_;
}

}  // namespace attune
