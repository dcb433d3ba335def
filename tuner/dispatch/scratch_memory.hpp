// ScratchMemory: one set of the scratch arrays that the steps of a plan use. A movable owner; the Device must outlive
// it. One thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "device/launch_frame.hpp"
#include "dispatch/held_memory.hpp"

namespace attune {

class ScratchMemory {
 public:
  ScratchMemory() = default;
  // Allocates the arrays without zeroing them. Throws OutOfMemory that names the argument. `held`: counts the memory;
  // null: nothing does.
  ScratchMemory(Device& device, const LoadedSteps& steps, const std::shared_ptr<HeldMemory>& held = nullptr);

  std::size_t arrays() const noexcept { return arrays_.size(); }
  std::uint64_t held_bytes() const noexcept { return held_.bytes(); }  // that count
  // Enqueues zeroing of all arrays on the stream.
  Status zero_on(Device& device, StreamHandle stream) const;
  // Zeroes all arrays beside all streams; complete on return. Allowed while a stream is captured.
  Status zero_now(Device& device) const;
  void pass_to(LaunchFrame& frame) const {
    for (const ScratchArray& array : arrays_) frame.set_array(array.argument, array.memory.data());
  }

 private:
  struct ScratchArray {
    std::size_t argument = 0;
    DeviceMemory memory;
  };
  HeldBytes held_;  // count until the arrays are freed
  std::vector<ScratchArray> arrays_;
};

}  // namespace attune
