// ProblemData: the arguments of one problem on one device while tuning. Arrays lie between guard bands and are filled
// from a seed. It also has the expected outputs, and the copies that restore inputs. Owned by ProblemOnDevice; one
// thread.
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
#include "device/memory.hpp"
#include "worker/trial_setup.hpp"

namespace attune {

class ProblemData {
 public:
  // The first of the bytes that outputs are filled with: NaN in every floating type, -1 in every integer type.
  static constexpr int first_poison = 0xFF;

  // Allocates and fills every array but scratch. Throws OutOfMemory naming the argument, Error. The device must outlive
  // it.
  ProblemData(Device& device, const TrialSetup& setup);

  const std::vector<ArgumentSetup>& arguments() const noexcept { return arguments_; }

  // Returns the memory of array `argument` (position in arguments()); null where it has none here: scalars, scratch,
  // tensor maps, arrays by value. Checks use set 0.
  void* array(std::size_t argument, std::size_t set = 0) const noexcept;
  // Returns the elements of an array by value, as they are passed; none for other arguments.
  std::span<const std::byte> values(std::size_t argument) const;
  // Makes sets of arrays with the inputs' content, up to `wanted` in all. It takes at most half of the device's memory
  // that was free at first.
  void make_sets(std::uint64_t wanted);
  std::size_t sets() const noexcept { return 1 + copies_; }
  std::uint64_t set_bytes() const noexcept;
  std::uint64_t copied_bytes() const noexcept { return copies_ * set_bytes(); }  // of all sets but the first

  // Prepares a checked launch: inout arrays as filled, outputs poisoned, guard bands written. `poisoning`: one of
  // poisonings().
  void reset(std::size_t poisoning = 0);
  // Returns how many launches a check takes, each with outputs poisoned otherwise: one where no element of an expected
  // result is what a poison makes of it, else two.
  std::size_t poisonings() const;
  // Returns copies that restore the inout arrays before a sample; empty when there are none.
  const std::vector<Operation>& restores() const noexcept { return restores_; }

  // Takes the inout arrays after [[prepare]] as the content to restore.
  void adopt_prepared();
  // Takes the present outputs as the expected ones. Throws Error for a value that is not finite, unless the kernel
  // allows it. `source` names the outputs' origin in the message.
  void adopt_expected(const std::string& source);
  // Chooses what outputs are poisoned with: values that the expected result lacks, so that an element that is not
  // written is wrong. Returns whether expected elements are equal to what they were poisoned with: they may be
  // unwritten.
  bool choose_poisons();
  // Poisons the outputs otherwise than before the expected result was made. After the same launch once more, throws
  // Error where an element is what it was poisoned with both times.
  void poison_otherwise();
  void require_written(const std::string& source);

  // Add checks, which run together: whether inputs are unchanged (guard; changed ones are restored for other
  // configurations; sticky: they cannot be), guard bands are (guard), and the outputs are as expected (wrong_result).
  void add_inputs(Checks& checks);
  void add_guards(Checks& checks) const;
  void add_outputs(Checks& checks, Numerics& numerics) const;
  // Adds checks of what no kernel is given: expected results, and copies of inputs. Their failure is a sticky guard.
  void add_own(Checks& checks) const;
  // Takes the outputs as they are, launches once more, and sets whether they are equal bit for bit. `same` stays empty
  // without room for copies.
  Status compare_with_next(const std::function<Status()>& launch, std::optional<bool>& same);

 private:
  struct Array {
    std::size_t argument = 0;
    DeviceMemory working;
    DeviceMemory pristine;             // in, inout: the filled content; absent for `in` where there was no room for it
    DeviceMemory expected;             // out and inout
    std::vector<DeviceMemory> copies;  // of further sets
    // Checksums of the filled content, and of what is expected.
    std::uint64_t content_sum = 0, expected_sum = 0;
    std::array<int, 2> poisons = {};  // bytes: of each poisoning
    int poison = 0;                   // of the last reset
  };
  Array make_array(std::size_t argument, std::uint64_t seed);
  void note_content(Array& array) const;
  std::uint64_t checksum(const DeviceMemory& memory) const;
  Status restore(Array& array);
  std::string change_of(const Array& array) const;
  std::string poison_advice(const Array& array, const Comparison& comparison) const;
  bool lacks(const Array& array, int byte);
  void fill(const Array& array, int byte);
  void run(const Operation& operation);
  DeviceMemory spare_copy(std::size_t bytes);
  void copy(const DeviceMemory& target, const DeviceMemory& source);

  Device& device_;
  const std::string kernel_, problem_;
  const std::vector<ArgumentSetup> arguments_;
  std::vector<Array> arrays_;
  std::map<std::size_t, std::vector<std::byte>> values_;  // of arrays by value, by argument
  std::vector<Operation> restores_;
  std::size_t copies_ = 0;
  std::optional<std::uint64_t> room_;  // bytes, for all copies
  bool has_expected_ = false;
};

}  // namespace attune
