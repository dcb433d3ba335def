#include "device/step_binding.hpp"

#include <fmt/format.h>

#include <cstring>

#include "attune/error.hpp"

namespace attune {

StepBinding::StepBinding(std::shared_ptr<const LoadedSteps> steps)
    : steps_(std::move(steps)),
      frame_(std::make_unique<LaunchFrame>(*steps_)),
      aimed_(steps_->maps().size()),
      operations_(steps_->size()),
      uploads_(steps_->symbols()) {
  for (std::size_t i = 0; i < operations_.size(); ++i) operations_[i] = frame_->operation(i);
}

StepBinding::StepBinding(const StepBinding& other) : StepBinding(other.steps_) {
  frame_->copy(*other.frame_);
  aimed_ = other.aimed_;
}

Status StepBinding::aim_maps(Device& device, const std::string*& misaligned) {
  misaligned = nullptr;
  for (std::size_t i = 0; i < steps_->maps().size(); ++i) {
    const std::size_t map = steps_->maps()[i], of = steps_->argument(map).map->array;
    void* const array = LoadedSteps::array_in(slots()[of]);
    const bool is_aligned = LoadedSteps::has_map(array);
    if (!is_aligned) misaligned = &steps_->argument(of).name;
    if (array == aimed_[i]) continue;
    std::memset(slots()[map], 0, tensor_map_bytes);
    if (is_aligned)
      if (Status status = steps_->encode_map(device, map, array, slots()[map]); !status.ok()) {
        aimed_[i] = nullptr;
        return status;
      }
    aimed_[i] = array;
  }
  return {};
}

Status StepBinding::make_scratch(Device& device, DataTools& tools) {
  for (const std::size_t i : steps_->scratch()) {
    const StepArgument& argument = steps_->argument(i);
    GuardedMemory& memory = scratch_.emplace_back(i).memory;
    try {
      memory = GuardedMemory(device, tools, argument.bytes, Guards::of_output);
    } catch (const OutOfMemory& error) {
      throw no_room_for(argument, error);
    }
    set_array(i, memory.data());
    memory.arm_guards();
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
    const StepArgument& argument = steps_->argument(scratch.argument);
    scratch.memory.add_guards(checks, [&argument](long long offset) {
      return Status{Verdict::guard,
                    fmt::format("wrote outside scratch `{}`: the byte at offset {} of its {} bytes changed",
                                argument.name, offset, argument.bytes),
                    false};
    });
  }
}

std::span<const Operation> StepBinding::uploads() {
  for (std::size_t i = 0; i < uploads_.size(); ++i) uploads_[i] = frame_->upload(i);
  return uploads_;
}

std::span<const Operation> StepBinding::operations() {
  for (std::size_t i = 0; i < operations_.size(); ++i)
    if (operations_[i].kind == Operation::Kind::memset) operations_[i] = frame_->operation(i);
  return operations_;
}

}  // namespace attune
