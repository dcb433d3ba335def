// PreparedSteps: the steps of one configuration (or of the reference), loaded and bound to the data of a problem: a
// list of operations to enqueue. Owns its module, its scratch memory and the bytes of its parameters. One thread.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

#include "core/instantiate.hpp"
#include "worker/problem_data.hpp"

namespace attune {

class PreparedSteps {
 public:
  // Loads `image` and binds `steps`. `configuration` gives scratch sizes and computed scalars. A configuration that
  // cannot be loaded or launched is a Status; out of memory for scratch is out_of_memory.
  static Status prepare(Device& device, const ProblemData& data, const std::vector<ResolvedStep>& steps,
                        const Configuration& configuration, const Image& image, PreparedSteps& prepared);

  const std::vector<Operation>& operations() const noexcept { return operations_; }
  bool has_scratch() const noexcept { return !scratch_.empty(); }

  // Enqueues all of them on the default stream and waits.
  Status run(Device& device) const;

  // Scratch between guard bands, like every array: ok or guard.
  Status check_scratch(const KernelSpec& spec) const;

 private:
  struct Scratch {
    std::size_t argument = 0;
    DeviceMemory memory;
  };
  Status allocate_scratch(Device& device, const KernelSpec& spec, const std::vector<ResolvedArgument>& arguments);
  Status bind_launch(const ResolvedStep& step);
  void bind_memset(const ResolvedStep& step, const std::vector<ResolvedArgument>& arguments);

  std::shared_ptr<Module> module_;
  std::vector<Scratch> scratch_;
  std::vector<void*> arrays_;                       // by argument position; null for scalars
  std::vector<std::array<std::byte, 16>> scalars_;  // by argument position
  std::deque<std::vector<void*>> parameters_;       // one list per launch; a deque, so that addresses stay
  std::vector<Operation> operations_;
};

}  // namespace attune
