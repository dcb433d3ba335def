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

constexpr std::array poisons{ProblemData::first_poison, 0x5A, 0x81, 0x3C, 0xC3, 0x00};

}  // namespace

// Returns whether no component of the expected result is equal to one that consists of such bytes. Overwrites the
// output.
bool ProblemData::lacks(const Array& array, int byte) {
  const TypeInfo& type = type_named(arguments_[array.argument].type);
  const std::uint64_t components = arguments_[array.argument].count * type.components;
  fill(array, byte);
  Tolerance tolerance = arguments_[array.argument].tolerance;
  tolerance.allow_nonfinite = true;
  const CompareElements same{array.working.data(), array.expected.data(), type.element, components, tolerance};
  return tools_.inspect(same).comparison.mismatches == components;
}

bool ProblemData::choose_poisons() {
  bool is_in_doubt = false;
  for (Array& array : arrays_) {
    const ArgumentSetup& described = arguments_[array.argument];
    if (described.role != Role::out || !described.is_compared) continue;
    const auto lacking = std::find_if(poisons.begin(), poisons.end(), [&](int byte) { return lacks(array, byte); });
    is_in_doubt |= lacking != poisons.begin();
    // Where the expected result contains every poison, two poisons are used: an element that is not written can be
    // right with at most one of them.
    array.poisons =
        lacking == poisons.end() ? std::array{poisons.front(), poisons.back()} : std::array{*lacking, *lacking};
  }
  return is_in_doubt;
}

void ProblemData::poison_otherwise() {
  for (const Array& array : arrays_)
    if (arguments_[array.argument].role == Role::out) fill(array, poisons[1]);
}

void ProblemData::require_written(const std::string& source) {
  for (Array& array : arrays_) {
    const ArgumentSetup& described = arguments_[array.argument];
    const std::size_t bytes = array.working.bytes();
    if (described.role != Role::out || !described.is_compared ||
        tools_.inspect(CountDifferences{array.working.data(), array.expected.data(), bytes}).count == 0)
      continue;
    std::vector<unsigned char> first(bytes), second(bytes);
    device_.copy_out(first.data(), array.expected.data(), bytes, nullptr);
    device_.copy_out(second.data(), array.working.data(), bytes, nullptr);
    const std::size_t size = bytes / described.count;
    std::uint64_t unwritten = 0;
    for (std::size_t begin = 0; begin < bytes; begin += size) {
      const auto all = [&](const std::vector<unsigned char>& bytes_of, int byte) {
        return std::all_of(bytes_of.data() + begin, bytes_of.data() + begin + size,
                           [byte](unsigned char one) { return one == byte; });
      };
      unwritten += all(first, first_poison) && all(second, poisons[1]);
    }
    if (unwritten > 0 && described.tolerance.allow_nonfinite)
      array.poisons = {first_poison, first_poison};  // gaps stay, with the poison that the expected result has there
    else if (unwritten > 0)
      throw Error(fmt::format(
          "{} of {} leaves {} of {} elements of `{}` unwritten for {}: nothing can be checked against it; write every "
          "element, or set the array by a memset step before",
          source, kernel_, unwritten, described.count, described.name, problem_));
  }
}

std::size_t ProblemData::poisonings() const {
  return std::any_of(arrays_.begin(), arrays_.end(),
                     [](const Array& array) { return array.poisons.front() != array.poisons.back(); })
             ? 2
             : 1;
}

}  // namespace attune
