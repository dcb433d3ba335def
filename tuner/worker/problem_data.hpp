// ProblemData: the arguments of one problem on one device while tuning: arrays between guard bands, filled from a seed,
// the expected outputs, and what restores them before every launch. Owned by the TrialWorker; one thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "attune/kernel_spec.hpp"
#include "core/instantiate.hpp"
#include "core/trial.hpp"
#include "device/memory.hpp"

namespace attune {

class ProblemData {
 public:
  // Allocates and fills every array but scratch. `configuration` serves sizes that mention parameters, which only
  // scratch may. Throws OutOfMemory naming the argument, Error. All references must outlive it.
  ProblemData(Device& device, const KernelSpec& spec, const Problem& problem, const Configuration& configuration,
              std::uint64_t seed);

  const KernelSpec& spec() const noexcept { return spec_; }
  const Problem& problem() const noexcept { return problem_; }

  // The memory of array `argument` (position in spec.arguments); null for scalars and scratch.
  void* array(std::size_t argument) const noexcept;
  // A scalar's bytes: the value that the problem or `value` gives, else its fill.
  std::array<std::byte, 16> scalar(std::size_t argument, const ResolvedArgument& resolved) const;

  // Before a checked launch: inout arrays as filled, outputs poisoned, guard bands written.
  void reset();
  // Copies that restore the inout arrays before a sample; empty when there are none.
  const std::vector<Operation>& restores() const noexcept { return restores_; }

  // After [[prepare]]: what it made of the inout arrays is what they are restored to from now on.
  void adopt_prepared();
  // Takes the present outputs as the expected ones. Throws Error when one is not finite and the kernel does not allow
  // it. `source` names whose outputs they are, for the message.
  void adopt_expected(const std::string& source);
  bool has_expected() const noexcept { return has_expected_; }

  // Looks at the guard bands and compares the outputs with the expected ones. ok, wrong_result or guard.
  Status check(double& max_error);
  // The guard bands alone. ok or guard.
  Status check_guards() const;
  // guard when a launch changed an `in` array, which is then restored: others must not suffer.
  Status restore_inputs();
  // Compares the outputs only.
  Status compare(double& max_error);

 private:
  struct Array {
    std::size_t argument = 0;
    DeviceMemory working;
    DeviceMemory pristine;  // in, inout: the filled content; absent for `in` where there was no room for it
    DeviceMemory expected;  // out and inout
    Tolerance tolerance;
  };
  Array make_array(std::size_t argument);
  void run(const Operation& operation);
  DeviceMemory spare_copy(std::size_t bytes);
  void copy(const DeviceMemory& target, const DeviceMemory& source);
  const Array* find(std::size_t argument) const noexcept;
  Tolerance tolerance_of(const Argument& argument) const;

  Device& device_;
  const KernelSpec& spec_;
  const Problem& problem_;
  std::uint64_t seed_;
  std::vector<ResolvedArgument> resolved_;
  std::vector<Array> arrays_;
  std::vector<Operation> restores_;
  bool has_expected_ = false;
};

}  // namespace attune
