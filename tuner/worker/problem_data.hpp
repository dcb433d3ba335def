// ProblemData: the arguments of one problem on one device while tuning: arrays between guard bands, filled from a seed,
// the expected outputs, and what restores them before every launch. Owned by ProblemOnDevice; one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/numerics.hpp"
#include "device/memory.hpp"
#include "worker/trial_setup.hpp"

namespace attune {

class ProblemData {
 public:
  // Allocates and fills every array but scratch. Throws OutOfMemory naming the argument, Error. The device must outlive
  // it.
  ProblemData(Device& device, const TrialSetup& setup);

  const std::vector<ArgumentSetup>& arguments() const noexcept { return arguments_; }

  // The memory of array `argument` (position in arguments()); null for scalars and scratch. Set 0 is what is checked.
  void* array(std::size_t argument, std::size_t set = 0) const noexcept;
  // Makes sets of arrays with the inputs' content until all of them hold `bytes`, there are `most`, or a quarter of the
  // device's memory that was free at first is taken: launches that take them in turn find none in a smaller cache.
  void make_sets(std::uint64_t bytes, std::uint64_t most);
  std::size_t sets() const noexcept { return 1 + copies_; }

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
  Status check(Numerics& numerics);
  // The guard bands alone. ok or guard.
  Status check_guards() const;
  // guard when a launch changed an `in` array, which is then restored: others must not suffer.
  Status restore_inputs();
  // Compares the outputs only.
  Status compare(Numerics& numerics);
  // Takes the outputs as they are, launches once more, and says whether they are the same bit for bit. Nothing where
  // the device has no room for copies of them.
  Status compare_with_next(const std::function<Status()>& launch, std::optional<bool>& same);

 private:
  struct Array {
    std::size_t argument = 0;
    DeviceMemory working;
    DeviceMemory pristine;             // in, inout: the filled content; absent for `in` where there was no room for it
    DeviceMemory expected;             // out and inout
    std::vector<DeviceMemory> copies;  // of the further sets
  };
  Array make_array(std::size_t argument, std::uint64_t seed);
  void run(const Operation& operation);
  DeviceMemory spare_copy(std::size_t bytes);
  void copy(const DeviceMemory& target, const DeviceMemory& source);

  Device& device_;
  const std::string kernel_, problem_;
  const std::vector<ArgumentSetup> arguments_;
  std::vector<Array> arrays_;
  std::vector<Operation> restores_;
  std::size_t copies_ = 0;
  std::optional<std::uint64_t> room_;  // bytes, for all copies
  bool has_expected_ = false;
};

}  // namespace attune
