#include "worker/problem_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "attune/error.hpp"
#include "base/counted.hpp"
#include "core/type_table.hpp"
#include "device/host/host_data.hpp"
#include "worker/error_text.hpp"

namespace attune {
namespace {

bool is_output(Role role) { return role == Role::out || role == Role::inout; }

MemoryPlace place_of(const ArgumentSetup& argument) {
  return argument.is_mapped ? MemoryPlace::mapped : MemoryPlace::device;
}

// Returns a place like "[7]", or "[7].y" in an array of a vector type.
std::string place_text(const Comparison& comparison, std::string_view type) {
  const auto components = static_cast<std::uint64_t>(type_named(type).components);
  const std::string element = fmt::format("[{}]", comparison.first / components);
  return components == 1 ? element : fmt::format("{}.{}", element, "xyzw"[comparison.first % components]);
}

std::string element_text(const Comparison& comparison, const ArgumentSetup& argument) {
  return fmt::format("argument `{}`: {} differ{}; first at {}: {:.9g}, expected {:.9g}; {}", argument.name,
                     counted(comparison.mismatches, "element"), comparison.mismatches == 1 ? "s" : "",
                     place_text(comparison, argument.type), comparison.actual_at_first, comparison.expected_at_first,
                     error_text(comparison.max_absolute, comparison.max_share));
}

std::string tolerance_advice(const ArgumentSetup& argument) {
  const bool is_exact = argument.tolerance.absolute == 0 && argument.tolerance.relative == 0;
  const bool is_floating = type_named(argument.type).type_class == TypeClass::floating;
  return is_exact && is_floating ? "; exact equality is expected: [check] gives no tolerance"
                                 : "; tolerance " + tolerance_text(argument.tolerance);
}

Operation copying(void* target, const void* source, std::size_t bytes) {
  Operation operation;
  operation.kind = Operation::Kind::copy;
  operation.target = target;
  operation.source = source;
  operation.bytes = bytes;
  return operation;
}

// Returns memory for an optional copy, which is empty when the device has no room.
DeviceMemory spare_copy(Device& device, std::size_t bytes) {
  try {
    return DeviceMemory(device, bytes);
  } catch (const OutOfMemory&) {
    return {};
  }
}

std::uint64_t sum_of(DataTools& tools, const auto& memory) {
  return tools.inspect(Checksum{memory.data(), memory.bytes()}).sum;
}

void note_content(DataTools& tools, ProblemArray& array) {
  array.content_sum = array.described.role == Role::in ? sum_of(tools, array.working) : sum_of(tools, array.pristine);
}

// Returns a text of what a launch changed in an input.
std::string change_of(DataTools& tools, const ProblemArray& array) {
  const ArgumentSetup& described = array.described;
  const Tolerance exact{.absolute = 0, .relative = 0, .allow_nonfinite = true};
  if (array.pristine.data() == nullptr) return fmt::format("changed its input `{}`", described.name);
  // Elements are compared as numbers, so there may be no mismatch where only the bits of a NaN or a zero changed.
  const Comparison change =
      tools
          .inspect(CompareElements{array.working.data(), array.pristine.data(), described.type, described.count, exact})
          .comparison;
  return change.mismatches == 0
             ? fmt::format("changed the bits of its input `{}`", described.name)
             : fmt::format("changed its input `{}`: {}, the first at {}", described.name,
                           counted(change.mismatches, "element"), place_text(change, described.type));
}

// Returns the advice for an output whose first wrong element still holds the poison, or a NaN that may come from it.
// Returns "" for other outputs.
std::string poison_advice(Device& device, const ProblemArray& array, const Comparison& comparison) {
  const ArgumentSetup& described = array.described;
  if (described.role != Role::out) return "";
  const TypeInfo& type = type_named(described.type);
  std::vector<unsigned char> bytes(type.size / type.components);
  const auto* const first = static_cast<const std::byte*>(array.working.data()) + comparison.first * bytes.size();
  device.copy_out(bytes.data(), first, bytes.size(), nullptr);
  const bool is_poison =
      std::all_of(bytes.begin(), bytes.end(), [&array](unsigned char byte) { return byte == array.poison; });
  if (!is_poison && !std::isnan(comparison.actual_at_first)) return "";
  return fmt::format(
      "; `{}` is poisoned before each launch (bytes 0x{:02X}{}): write every element, or add a memset step where the "
      "kernel adds to it",
      described.name, array.poison, array.poison == ProblemArray::first_poison ? ": NaN, -1" : "");
}

}  // namespace

Operation ProblemArray::filling(int byte) const {
  Operation operation;
  operation.kind = Operation::Kind::memset;
  operation.target = working.data();
  operation.bytes = working.bytes();
  operation.value = byte;
  return operation;
}

Operation ProblemArray::restoring() const { return copying(working.data(), pristine.data(), working.bytes()); }

ProblemData::ProblemData(Device& device, DataTools& tools, const TrialSetup& setup)
    : device_(device), tools_(tools), kernel_(setup.kernel), problem_(setup.problem), arguments_(setup.arguments) {
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    const ArgumentSetup& described = arguments_[i];
    if (!is_array(described.role) || described.role == Role::scratch) continue;
    if (described.by_value) {
      values_[i].resize(described.bytes);
      generate_on_host(values_[i].data(), described.type, described.count, described.fill, setup.seed + i);
    } else {
      make(arrays_.emplace_back(described), setup.seed + i);
    }
  }
  for (const ProblemArray& array : arrays_)
    if (array.described.role == Role::inout && array.described.restore) restores_.push_back(array.restoring());
}

// Allocates and fills an array.
void ProblemData::make(ProblemArray& array, std::uint64_t seed) {
  const ArgumentSetup& described = array.described;
  try {
    const Guards guards = described.role == Role::in ? Guards::of_input : Guards::of_output;
    array.working = GuardedMemory(device_, tools_, described.bytes, guards, place_of(described));
    if (described.role == Role::inout) array.pristine = DeviceMemory(device_, described.bytes);
    if (described.is_compared) array.expected = DeviceMemory(device_, described.bytes);
    if (described.role == Role::in) array.pristine = spare_copy(device_, described.bytes);
  } catch (const OutOfMemory& error) {
    throw OutOfMemory(fmt::format("argument `{}` of {} ({} bytes) for {}: {}; take a smaller problem", described.name,
                                  kernel_, described.bytes, problem_, error.what()));
  }
  if (described.role == Role::out) return;
  void* const filled = described.role == Role::inout ? array.pristine.data() : array.working.data();
  tools_.generate(filled, described.type, described.count, described.fill, seed);
  if (described.role == Role::in) run(copying(array.pristine.data(), array.working.data(), described.bytes));
  note_content(tools_, array);
}

void* ProblemData::array(std::size_t argument, std::size_t set) const noexcept {
  const auto found = std::find_if(arrays_.begin(), arrays_.end(),
                                  [&](const ProblemArray& array) { return &array.described == &arguments_[argument]; });
  if (found == arrays_.end()) return nullptr;
  return set == 0 ? found->working.data() : found->copies[set - 1].data();
}

std::span<const std::byte> ProblemData::values(std::size_t argument) const {
  const auto found = values_.find(argument);
  return found == values_.end() ? std::span<const std::byte>() : found->second;
}

std::uint64_t ProblemData::set_bytes() const noexcept {
  std::uint64_t bytes = 0;
  for (const ProblemArray& array : arrays_) bytes += array.working.bytes();
  return bytes;
}

void ProblemData::make_sets(std::uint64_t wanted) {
  if (!room_) room_ = device_.free_memory() / 2;
  const std::uint64_t most = 1 + *room_ / std::max<std::uint64_t>(set_bytes(), 1);
  while (sets() < std::min(wanted, most)) {
    try {
      for (ProblemArray& array : arrays_) {
        array.copies.resize(copies_);  // drops what an earlier failure left
        const ArgumentSetup& described = array.described;
        array.copies.emplace_back(device_, array.working.bytes(), place_of(described));
        if (described.role == Role::out) continue;
        const void* const content = array.pristine.data() != nullptr ? array.pristine.data() : array.working.data();
        run(copying(array.copies.back().data(), content, array.working.bytes()));
      }
    } catch (const OutOfMemory&) {
      return;
    }
    ++copies_;
  }
}

// Does nothing without a target.
void ProblemData::run(const Operation& operation) {
  if (operation.target == nullptr) return;
  const Status status = device_.enqueue(operation, nullptr);
  if (!status.ok()) throw Error("cannot prepare the data of " + kernel_ + ": " + status.detail);
}

void ProblemData::reset(std::size_t poisoning) {
  for (ProblemArray& array : arrays_) {
    const Role role = array.described.role;
    if (role == Role::inout) run(array.restoring());
    if (role == Role::out) run(array.filling(array.poison = array.poisons[poisoning]));
    array.working.arm_guards();
  }
}

void ProblemData::adopt_prepared() {
  for (ProblemArray& array : arrays_) {
    if (array.described.role == Role::out) continue;
    run(copying(array.pristine.data(), array.working.data(), array.working.bytes()));
    note_content(tools_, array);
  }
}

void ProblemData::adopt_expected(const std::string& source, const std::function<void()>& run_again) {
  for (ProblemArray& array : arrays_) {
    const ArgumentSetup& described = array.described;
    if (!described.is_compared) continue;
    void* const expected = array.expected.data();
    run(copying(expected, array.working.data(), array.working.bytes()));
    array.expected_sum = sum_of(tools_, array.expected);
    const Comparison self =
        tools_.inspect(CompareElements{expected, expected, described.type, described.count, described.tolerance})
            .comparison;
    if (self.nonfinite_expected == 0 || described.tolerance.allow_nonfinite) continue;
    throw Error(fmt::format(
        "{} of {} leaves {} of {} elements of `{}` infinite, NaN or unwritten for {}: nothing can be checked against "
        "it; correct it, choose another fill, or say allow_nonfinite = true in [check]",
        source, kernel_, self.nonfinite_expected, described.count, described.name, problem_));
  }
  has_expected_ = true;
  if (!choose_poisons()) return;
  reset();
  for (const ProblemArray& array : arrays_)
    if (array.described.role == Role::out) run(array.filling(ProblemArray::second_poison));
  run_again();
  require_written(source);
}

void ProblemData::add_inputs(Checks& checks) {
  for (ProblemArray& array : arrays_) {
    if (array.described.role != Role::in) continue;
    checks.add(Checksum{array.working.data(), array.working.bytes()}, [this, &array](const InspectionFinding& found) {
      return found.sum == array.content_sum ? Status{} : restore(array);
    });
  }
}

Status ProblemData::restore(const ProblemArray& array) {
  Status status{Verdict::guard, change_of(tools_, array), false};
  if (array.pristine.data() != nullptr) run(array.restoring());
  // Sticky: there is no copy, or the copy was changed too.
  status.sticky = sum_of(tools_, array.working) != array.content_sum;
  return status;
}

void ProblemData::add_own(Checks& checks) const {
  const auto add = [&](const ProblemArray& array, const DeviceMemory& memory, std::uint64_t sum, const char* what) {
    checks.add(Checksum{memory.data(), memory.bytes()}, [this, &array, sum, what](const InspectionFinding& found) {
      if (found.sum == sum) return Status{};
      return Status{Verdict::guard,
                    fmt::format("wrote far outside its arrays: attune's own copy of {} of `{}` changed", what,
                                array.described.name),
                    true};
    });
  };
  for (const ProblemArray& array : arrays_) {
    if (array.described.role == Role::inout) add(array, array.pristine, array.content_sum, "the input");
    if (has_expected_ && array.expected.data() != nullptr)
      add(array, array.expected, array.expected_sum, "the expected result");
  }
}

void ProblemData::add_outputs(Checks& checks, Numerics& numerics) const {
  for (const ProblemArray& array : arrays_) {
    const ArgumentSetup& described = array.described;
    if (!described.is_compared) continue;
    const auto judge = [this, &array, &described, &numerics](const InspectionFinding& found) {
      const Comparison& comparison = found.comparison;
      numerics.include({comparison.max_absolute, comparison.max_relative, comparison.max_share, comparison.max_ulp});
      // Only numbers may differ. A NaN or an infinity may not, because memory that was not written may hold one.
      const bool are_numbers = std::isfinite(comparison.max_absolute);
      if (comparison.mismatches == 0 || (are_numbers && comparison.mismatches <= described.tolerance.differing))
        return Status{};
      std::string advice = poison_advice(device_, array, comparison);
      if (advice.empty()) advice = tolerance_advice(described);
      return Status{Verdict::wrong_result, element_text(comparison, described) + advice, false};
    };
    checks.add(CompareElements{array.working.data(), array.expected.data(), described.type, described.count,
                               described.tolerance},
               judge);
  }
}

Status ProblemData::compare_with_next(const std::function<Status()>& launch, std::optional<bool>& same) {
  same.reset();
  std::vector<std::pair<const ProblemArray*, DeviceMemory>> copies;
  for (const ProblemArray& array : arrays_) {
    if (!is_output(array.described.role)) continue;
    DeviceMemory outputs = spare_copy(device_, array.working.bytes());
    if (outputs.data() == nullptr) return {};
    run(copying(outputs.data(), array.working.data(), outputs.bytes()));
    copies.emplace_back(&array, std::move(outputs));
  }
  Status status = launch();
  if (!status.ok()) return status;
  const auto is_same = [this](const auto& one) {
    const auto& [array, outputs] = one;
    return tools_.inspect(CountDifferences{array->working.data(), outputs.data(), outputs.bytes()}).count == 0;
  };
  same = std::all_of(copies.begin(), copies.end(), is_same);
  return status;
}

void ProblemData::add_guards(Checks& checks) const {
  for (const ProblemArray& array : arrays_) {
    const ArgumentSetup& described = array.described;
    array.working.add_guards(checks, [&described, bytes = array.working.bytes()](long long offset) {
      return Status{Verdict::guard,
                    fmt::format("wrote outside argument `{}`: the byte at offset {} of its {} bytes changed",
                                described.name, offset, bytes),
                    false};
    });
  }
}

}  // namespace attune
