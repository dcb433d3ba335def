// ProblemData: the arguments of one problem on one device while tuning. Arrays lie between guard bands and are filled
// from a seed. It also has the expected outputs, and the copies from which inputs are restored. Owned by
// KernelRunner; one thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/numerics.hpp"
#include "device/guarded_memory.hpp"
#include "worker/trial_setup.hpp"

namespace attune {

// An array of a problem, with what it is restored from and judged by.
struct ProblemArray {
  // The byte that outputs are filled with as a rule, which makes NaN in every floating type and -1 in every integer
  // type, and the byte by which elements that are never written are found.
  static constexpr int first_poison = 0xFF, second_poison = 0x5A;

  explicit ProblemArray(const ArgumentSetup& argument) : described(argument) {}

  // Return the operations that fill the array with a byte, and that restore its content.
  Operation filling(int byte) const;
  Operation restoring() const;

  const ArgumentSetup& described;
  GuardedMemory working;
  DeviceMemory pristine;             // in, inout: the filled content; absent for `in` where there was no room for it
  DeviceMemory expected;             // out and inout: the expected result
  std::vector<DeviceMemory> copies;  // the arrays of further sets
  // Checksums of the filled content and of the expected result.
  std::uint64_t content_sum = 0, expected_sum = 0;
  std::array<int, 2> poisons = {first_poison, first_poison};  // the byte of each poisoning
  int poison = 0;                                             // the byte of the last reset
};

class ProblemData {
 public:
  // Allocates and fills every array except scratch. Throws OutOfMemory that names the argument, and Error. Device and
  // tools must outlive it.
  ProblemData(Device& device, DataTools& tools, const TrialSetup& setup);
  ProblemData(const ProblemData&) = delete;

  const std::vector<ArgumentSetup>& arguments() const noexcept { return arguments_; }

  // Returns the memory of array `argument` (its position in arguments()). Returns null for arguments without memory
  // here: scalars, scratch, tensor maps, arrays by value. Checks use set 0.
  void* array(std::size_t argument, std::size_t set = 0) const noexcept;
  // Returns the elements of an array by value, as they are passed. The span is empty for other arguments.
  std::span<const std::byte> values(std::size_t argument) const;
  // Makes further sets of arrays with the inputs' content, until there are `wanted` in all, or no room is left. Further
  // sets take at most half of the device's memory that was free at the first call.
  void make_sets(std::uint64_t wanted);
  std::size_t sets() const noexcept { return 1 + copies_; }
  std::uint64_t set_bytes() const noexcept;                                      // bytes of one set
  std::uint64_t copied_bytes() const noexcept { return copies_ * set_bytes(); }  // bytes of all sets but the first

  // Prepares a checked launch: restores inout arrays, poisons outputs and writes the guard bands. `poisoning`: which of
  // the poisonings(), from 0.
  void reset(std::size_t poisoning = 0);
  // Returns how many launches a check takes, each with other poisons in the outputs. It is one, unless an expected
  // result contains every poison, so that none is wrong everywhere; then it is two.
  std::size_t poisonings() const;
  // Returns the copies that restore the inout arrays before a sample. It is empty when nothing must be restored.
  const std::vector<Operation>& restores() const noexcept { return restores_; }

  // Takes the present inputs, as [[prepare]] left them, as the content to restore.
  void adopt_prepared();
  // Takes the present outputs as the expected ones, and chooses poisons that make values which the expected result
  // lacks, so that an element that is not written is wrong. Where expected elements are equal to the poison that was
  // there before, calls `run_again`, which is to make the outputs again from another poison. Throws Error for elements
  // that were never written, and for values that are not finite, unless the kernel allows such values. `source` names
  // in the message what made the outputs.
  void adopt_expected(const std::string& source, const std::function<void()>& run_again);

  // The following functions add checks, which run together.
  // Adds checks that inputs are unchanged. The verdict for a changed input is `guard`. The input is restored for other
  // configurations; where that is not possible, the status is sticky.
  void add_inputs(Checks& checks);
  // Adds checks that the guard bands are unchanged (verdict `guard`).
  void add_guards(Checks& checks) const;
  // Adds checks that the outputs are as expected (verdict `wrong_result`).
  void add_outputs(Checks& checks, Numerics& numerics) const;
  // Adds checks of arrays that no kernel gets: expected results, and copies of inputs. A change there is a sticky
  // `guard`.
  void add_own(Checks& checks) const;
  // Copies the present outputs, calls `launch`, and sets `same` to whether the new outputs are equal bit for bit.
  // `same` stays empty without room for the copies.
  Status compare_with_next(const std::function<Status()>& launch, std::optional<bool>& same);

 private:
  void make(ProblemArray& array, std::uint64_t seed);
  Status restore(const ProblemArray& array);
  bool choose_poisons();
  void require_written(const std::string& source);
  void run(const Operation& operation);

  Device& device_;
  DataTools& tools_;
  const std::string kernel_, problem_;
  const std::vector<ArgumentSetup> arguments_;
  std::vector<ProblemArray> arrays_;
  std::map<std::size_t, std::vector<std::byte>> values_;  // of arrays by value, by argument
  std::vector<Operation> restores_;
  std::size_t copies_ = 0;
  std::optional<std::uint64_t> room_;  // the bytes that all further sets may take
  bool has_expected_ = false;
};

}  // namespace attune
