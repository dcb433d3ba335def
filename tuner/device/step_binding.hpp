// StepBinding: one set of arguments that is kept while steps are tuned: a frame on the heap, and scratch memory of its
// own between guard bands.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "device/guarded_memory.hpp"
#include "device/launch_frame.hpp"

namespace attune {

// One thread at a time. Moving it keeps all addresses.
class StepBinding {
 public:
  // Scalars hold their first values; arrays are null.
  explicit StepBinding(std::shared_ptr<const LoadedSteps> steps);
  // Copies steps, values and array addresses into a frame of its own. Uses the scratch memory of `other`, which must
  // outlive this one.
  StepBinding(const StepBinding& other);
  StepBinding& operator=(const StepBinding&) = delete;
  StepBinding(StepBinding&&) noexcept = default;
  StepBinding& operator=(StepBinding&&) noexcept = default;

  std::span<void* const> slots() const noexcept { return frame_->slots(); }
  void set_array(std::size_t argument, void* memory) noexcept { frame_->set_array(argument, memory); }
  // Encodes the tensor maps of arrays that have moved since the last call. An array whose address is not a multiple of
  // 16 gets a map of zeros. `misaligned` then points to its name, else it is null. Allocates nothing unless it fails.
  Status aim_maps(Device& device, const std::string*& misaligned);
  // Allocates the scratch memory that steps use, between guard bands, and enqueues filling it with zeros on the default
  // stream. Throws OutOfMemory naming the argument.
  Status make_scratch(Device& device, DataTools& tools);
  bool has_scratch() const noexcept { return !scratch_.empty(); }
  // Adds checks of the guard bands of scratch memory.
  void add_scratch(Checks& checks) const;

  // Returns the steps over the present values of the slots. Launches read the slots when they are enqueued. Allocates
  // nothing.
  std::span<const Operation> operations();
  // Returns the operations that copy arrays with a symbol into their variables; they come before the steps.
  std::span<const Operation> uploads();

 private:
  struct Scratch {
    std::size_t argument = 0;
    GuardedMemory memory;
  };
  std::shared_ptr<const LoadedSteps> steps_;
  std::unique_ptr<LaunchFrame> frame_;
  std::vector<void*> aimed_;  // for each of the steps' maps, the array that it was encoded for
  std::vector<Operation> operations_, uploads_;
  std::vector<Scratch> scratch_;
};

}  // namespace attune
