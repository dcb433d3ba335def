#include "dispatch/scratch_memory.hpp"

namespace attune {

ScratchMemory::ScratchMemory(Device& device, const LoadedSteps& steps, const std::shared_ptr<HeldMemory>& held) {
  arrays_.reserve(steps.scratch().size());
  std::uint64_t bytes = 0;
  for (const std::size_t i : steps.scratch()) {
    arrays_.push_back({i, scratch_memory(device, steps.argument(i))});
    bytes += arrays_.back().memory.bytes();
  }
  if (held != nullptr) held_ = HeldBytes(std::shared_ptr<HeldBytes::Count>(held, &held->scratch), bytes);
}

Status ScratchMemory::zero_on(Device& device, StreamHandle stream) const {
  Status status;
  for (const ScratchArray& array : arrays_) {
    if (array.memory.bytes() == 0 || !status.ok()) continue;
    Operation zero;
    zero.kind = Operation::Kind::memset;
    zero.target = array.memory.data();
    zero.bytes = array.memory.bytes();
    status = device.enqueue(zero, stream);
  }
  return status;
}

Status ScratchMemory::zero_now(Device& device) const {
  Status status;
  for (const ScratchArray& array : arrays_)
    if (array.memory.bytes() > 0 && status.ok()) status = device.clear(array.memory.data(), array.memory.bytes());
  return status;
}

}  // namespace attune
