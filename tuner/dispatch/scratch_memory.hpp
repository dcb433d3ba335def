// ScratchMemory: one set of the scratch arrays that the steps of a plan use. A movable owner; the Device must outlive
// it. Not thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "device/step_binding.hpp"

namespace attune {

class ScratchMemory {
 public:
  ScratchMemory() = default;
  // Allocates the arrays without zeroing them. Throws OutOfMemory that names the argument.
  ScratchMemory(Device& device, const LoadedSteps& steps);

  std::size_t arrays() const noexcept { return arrays_.size(); }
  std::uint64_t bytes() const noexcept;
  // Enqueues zeroing of all arrays on the stream.
  Status zero_on(Device& device, StreamHandle stream) const;
  // Zeroes all arrays beside all streams; complete on return. Allowed while a stream is captured.
  Status zero_now(Device& device) const;
  // Passes the arrays to a LaunchFrame or a StepBinding.
  template <typename Frame>
  void pass_to(Frame& frame) const {
    for (const ScratchArray& array : arrays_) frame.set_array(array.argument, array.memory.data());
  }

 private:
  struct ScratchArray {
    std::size_t argument = 0;
    DeviceMemory memory;
  };
  std::vector<ScratchArray> arrays_;
};

}  // namespace attune
