// PreparedSteps: the steps of one configuration (or of the reference), loaded and bound to the data of a problem: a
// list of operations to enqueue. Owns its module, its scratch memory and the bytes of its parameters. One thread.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "worker/problem_data.hpp"

namespace attune {

class PreparedSteps {
 public:
  // Loads the image and binds the steps. What cannot be loaded or launched is a Status; out of memory for scratch is
  // out_of_memory.
  static Status prepare(Device& device, const ProblemData& data, const StepsSetup& steps, PreparedSteps& prepared);

  const std::vector<Operation>& operations() const noexcept { return bound_.operations; }
  // The same over every set of the data that there is now; valid until the next call.
  std::vector<std::span<const Operation>> operations_by_set(const ProblemData& data);
  bool has_scratch() const noexcept { return !scratch_.empty(); }

  // Enqueues all of them on the default stream and waits.
  Status run(Device& device) const;

  // Scratch between guard bands, like every array: ok or guard.
  Status check_scratch(const ProblemData& data) const;

 private:
  struct Scratch {
    std::size_t argument = 0;
    DeviceMemory memory;
  };
  // Operations, and what their pointers point to; moving it keeps the addresses of elements.
  struct Bound {
    std::vector<void*> arrays;                  // by argument position; null for scalars
    std::deque<std::vector<void*>> parameters;  // one list per launch; a deque, so that addresses stay
    std::vector<Operation> operations;
  };
  Bound bound_to(const ProblemData& data, std::size_t set);
  Status allocate_scratch(Device& device, const ProblemData& data, const StepsSetup& steps);
  Status bind_launch(const ResolvedStep& step);
  void bind_memset(const ResolvedStep& step, std::uint64_t bytes);

  std::shared_ptr<Module> module_;
  std::vector<Scratch> scratch_;
  std::vector<ScalarBytes> scalars_;  // by argument position
  Bound bound_;                       // to set 0
  std::deque<Bound> further_;         // to the sets behind it; a deque, which copies none when it grows
};

}  // namespace attune
