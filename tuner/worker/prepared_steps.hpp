// PreparedSteps: the steps of one configuration (or of the reference), loaded and bound to the data of a problem: a
// list of operations to enqueue. Owns its module, its scratch memory and the bytes of its parameters. One thread.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

#include "worker/problem_data.hpp"

namespace attune {

class PreparedSteps {
 public:
  // Loads the image and binds the steps. What cannot be loaded or launched is a Status; out of memory for scratch is
  // out_of_memory.
  static Status prepare(Device& device, const ProblemData& data, const StepsSetup& steps, PreparedSteps& prepared);

  const std::vector<Operation>& operations() const noexcept { return operations_; }
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
  Status allocate_scratch(Device& device, const ProblemData& data, const StepsSetup& steps);
  Status bind_launch(const ResolvedStep& step);
  void bind_memset(const ResolvedStep& step, std::uint64_t bytes);

  std::shared_ptr<Module> module_;
  std::vector<Scratch> scratch_;
  std::vector<void*> arrays_;                  // by argument position; null for scalars
  std::vector<ScalarBytes> scalars_;           // by argument position
  std::deque<std::vector<void*>> parameters_;  // one list per launch; a deque, so that addresses stay
  std::vector<Operation> operations_;
};

}  // namespace attune
