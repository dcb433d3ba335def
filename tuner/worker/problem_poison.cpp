// Chooses the bytes that outputs are filled with before a checked launch, so that an element that is not written is
// wrong.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "attune/error.hpp"
#include "core/type_table.hpp"
#include "worker/problem_data.hpp"

namespace attune {
namespace {

constexpr std::array poisons{ProblemArray::first_poison, ProblemArray::second_poison, 0x81, 0x3C, 0xC3, 0x00};

// Returns whether no component of the expected result is equal to the component of the array.
bool differs_everywhere(DataTools& tools, const ProblemArray& array) {
  const TypeInfo& type = type_named(array.described.type);
  const std::uint64_t components = array.described.count * type.components;
  Tolerance tolerance = array.described.tolerance;
  tolerance.allow_nonfinite = true;
  const CompareElements same{array.working.data(), array.expected.data(), type.element, components, tolerance};
  return tools.inspect(same).comparison.mismatches == components;
}

// Returns how many elements kept the first poison in the expected result, and now the second.
std::uint64_t unwritten_elements(Device& device, const ProblemArray& array) {
  const std::size_t bytes = array.working.bytes(), size = bytes / array.described.count;
  std::vector<unsigned char> first(bytes), second(bytes);
  device.copy_out(first.data(), array.expected.data(), bytes, nullptr);
  device.copy_out(second.data(), array.working.data(), bytes, nullptr);
  std::uint64_t unwritten = 0;
  for (std::size_t begin = 0; begin < bytes; begin += size) {
    const auto all = [&](const std::vector<unsigned char>& bytes_of, int byte) {
      return std::all_of(bytes_of.data() + begin, bytes_of.data() + begin + size,
                         [byte](unsigned char one) { return one == byte; });
    };
    unwritten += all(first, ProblemArray::first_poison) && all(second, ProblemArray::second_poison);
  }
  return unwritten;
}

}  // namespace

// Returns whether expected elements are equal to what they were poisoned with, so that they may not have been written.
// Overwrites the outputs.
bool ProblemData::choose_poisons() {
  bool is_in_doubt = false;
  for (ProblemArray& array : arrays_) {
    if (array.described.role != Role::out || !array.described.is_compared) continue;
    const auto lacking = std::find_if(poisons.begin(), poisons.end(), [&](int byte) {
      run(array.filling(byte));
      return differs_everywhere(tools_, array);
    });
    is_in_doubt |= lacking != poisons.begin();
    // Where the expected result contains every poison, two poisons are used: an element that is not written can be
    // right with at most one of them.
    array.poisons =
        lacking == poisons.end() ? std::array{poisons.front(), poisons.back()} : std::array{*lacking, *lacking};
  }
  return is_in_doubt;
}

// Throws Error where an element has kept both poisons. Where the kernel allows values that are not finite, gaps stay,
// with the poison that the expected result has there.
void ProblemData::require_written(const std::string& source) {
  for (ProblemArray& array : arrays_) {
    const ArgumentSetup& described = array.described;
    if (described.role != Role::out || !described.is_compared ||
        tools_.inspect(CountDifferences{array.working.data(), array.expected.data(), described.bytes}).count == 0)
      continue;
    const std::uint64_t unwritten = unwritten_elements(device_, array);
    if (unwritten > 0 && described.tolerance.allow_nonfinite)
      array.poisons = {ProblemArray::first_poison, ProblemArray::first_poison};
    else if (unwritten > 0)
      throw Error(fmt::format(
          "{} of {} leaves {} of {} elements of `{}` unwritten for {}: nothing can be checked against it; write every "
          "element, or set the array by a memset step before",
          source, kernel_, unwritten, described.count, described.name, problem_));
  }
}

std::size_t ProblemData::poisonings() const {
  const auto has_two = [](const ProblemArray& array) { return array.poisons.front() != array.poisons.back(); };
  return std::any_of(arrays_.begin(), arrays_.end(), has_two) ? 2 : 1;
}

}  // namespace attune
