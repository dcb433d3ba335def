#include "worker/problem_data.hpp"

#include <fmt/format.h>

#include <cmath>

#include "attune/error.hpp"
#include "core/type_table.hpp"

namespace attune {
namespace {

constexpr int kPoison = 0xFF;  // NaN in every floating type, -1 in every integer type

bool is_output(Role role) { return role == Role::out || role == Role::inout; }

std::string element_text(const Comparison& comparison, const std::string& name) {
  return fmt::format("argument `{}`: {} elements differ; first at [{}]: {:.9g}, expected {:.9g}; largest error {:.3g}",
                     name, comparison.mismatches, comparison.first, comparison.actual_at_first,
                     comparison.expected_at_first, comparison.max_error);
}

}  // namespace

ProblemData::ProblemData(Device& device, const KernelSpec& spec, const Problem& problem,
                         const Configuration& configuration, std::uint64_t seed)
    : device_(device),
      spec_(spec),
      problem_(problem),
      seed_(seed),
      resolved_(resolve_arguments(spec, problem, &configuration, device.info())) {
  for (std::size_t i = 0; i < spec_.arguments.size(); ++i) {
    const Role role = spec_.arguments[i].role;
    if (role == Role::scalar || role == Role::scratch) continue;
    arrays_.push_back(make_array(i));
  }
  for (const Array& array : arrays_) {
    if (spec_.arguments[array.argument].role != Role::inout || !spec_.arguments[array.argument].restore) continue;
    Operation copy;
    copy.kind = Operation::Kind::copy;
    copy.target = array.working.data();
    copy.source = array.pristine.data();
    copy.bytes = array.working.bytes();
    restores_.push_back(copy);
  }
}

ProblemData::Array ProblemData::make_array(std::size_t argument) {
  const Argument& described = spec_.arguments[argument];
  const ResolvedArgument& resolved = resolved_[argument];
  Array array;
  array.argument = argument;
  try {
    const Guards guards = described.role == Role::in ? Guards::of_input : Guards::of_output;
    array.working = DeviceMemory(device_, resolved.bytes, guards);
    if (described.role == Role::inout) array.pristine = DeviceMemory(device_, resolved.bytes);
    if (is_output(described.role)) array.expected = DeviceMemory(device_, resolved.bytes);
    if (described.role == Role::in) array.pristine = spare_copy(resolved.bytes);
  } catch (const OutOfMemory& error) {
    throw OutOfMemory(fmt::format("argument `{}` of {} ({} bytes) for {}: {}; take a smaller problem", described.name,
                                  spec_.name, resolved.bytes, problem_.text(), error.what()));
  }
  if (is_output(described.role)) array.tolerance = tolerance_of(described);
  if (described.role == Role::out) return array;
  Fill fill = described.fill.value_or(Fill{});
  if (!described.fill) fill.full_range = type_named(resolved.type).type_class != TypeClass::floating;
  void* const filled = described.role == Role::inout ? array.pristine.data() : array.working.data();
  device_.generate(filled, resolved.type, resolved.count, fill, seed_ + argument);
  if (described.role == Role::in) copy(array.pristine, array.working);
  return array;
}

// Memory for a copy that is good to have; none when the device has no room.
DeviceMemory ProblemData::spare_copy(std::size_t bytes) {
  try {
    return DeviceMemory(device_, bytes);
  } catch (const OutOfMemory&) {
    return {};
  }
}

void ProblemData::copy(const DeviceMemory& target, const DeviceMemory& source) {
  if (target.data() == nullptr) return;
  Operation operation;
  operation.kind = Operation::Kind::copy;
  operation.target = target.data();
  operation.source = source.data();
  operation.bytes = source.bytes();
  run(operation);
}

Tolerance ProblemData::tolerance_of(const Argument& argument) const {
  const Scope scope{&problem_, nullptr, &device_.info()};
  Tolerance tolerance;
  const auto apply = [&](const Check& check) {
    if (check.absolute) tolerance.absolute = check.absolute->real(scope, "[check] absolute of " + spec_.name);
    if (check.relative) tolerance.relative = check.relative->real(scope, "[check] relative of " + spec_.name);
    if (check.allow_nonfinite) tolerance.allow_nonfinite = *check.allow_nonfinite;
  };
  apply(spec_.check);
  if (const auto own = spec_.argument_check.find(argument.name); own != spec_.argument_check.end()) apply(own->second);
  return tolerance;
}

const ProblemData::Array* ProblemData::find(std::size_t argument) const noexcept {
  for (const Array& array : arrays_)
    if (array.argument == argument) return &array;
  return nullptr;
}

void* ProblemData::array(std::size_t argument) const noexcept {
  const Array* const array = find(argument);
  return array == nullptr ? nullptr : array->working.data();
}

std::array<std::byte, 16> ProblemData::scalar(std::size_t argument, const ResolvedArgument& resolved) const {
  if (resolved.value) return encode_scalar(*resolved.value, resolved.type);
  const std::optional<Fill>& fill = spec_.arguments[argument].fill;
  if (!fill)
    throw Error(fmt::format("scalar argument `{}` of {} has neither a problem value, nor `value`, nor `fill`",
                            spec_.arguments[argument].name, spec_.name));
  const bool floating = type_named(resolved.type).type_class == TypeClass::floating;
  return encode_scalar(floating ? Value(fill->a) : Value(fill->integer_a), resolved.type);
}

void ProblemData::run(const Operation& operation) {
  const Status status = device_.enqueue(operation, nullptr);
  if (!status.ok()) throw Error("cannot prepare the data of " + spec_.name + ": " + status.detail);
}

void ProblemData::reset() {
  for (Array& array : arrays_) {
    const Role role = spec_.arguments[array.argument].role;
    Operation operation;
    operation.target = array.working.data();
    operation.bytes = array.working.bytes();
    if (role == Role::inout) {
      operation.kind = Operation::Kind::copy;
      operation.source = array.pristine.data();
    } else {
      operation.kind = Operation::Kind::memset;
      operation.value = kPoison;
    }
    if (role != Role::in) run(operation);
    array.working.arm_guards();
  }
}

void ProblemData::adopt_prepared() {
  for (Array& array : arrays_)
    if (spec_.arguments[array.argument].role != Role::out) copy(array.pristine, array.working);
}

void ProblemData::adopt_expected(const std::string& source) {
  for (Array& array : arrays_) {
    const Argument& described = spec_.arguments[array.argument];
    if (!is_output(described.role)) continue;
    copy(array.expected, array.working);
    const ResolvedArgument& resolved = resolved_[array.argument];
    const Comparison self =
        device_.compare(array.expected.data(), array.expected.data(), resolved.type, resolved.count, array.tolerance);
    if (self.nonfinite_expected == 0 || array.tolerance.allow_nonfinite) continue;
    throw Error(fmt::format(
        "{} of {} leaves {} of {} elements of `{}` infinite, NaN or unwritten for {}: nothing can be checked against "
        "it; correct it, choose another fill, or say allow_nonfinite = true in [check]",
        source, spec_.name, self.nonfinite_expected, resolved.count, described.name, problem_.text()));
  }
  has_expected_ = true;
}

Status ProblemData::restore_inputs() {
  const Tolerance exact{.absolute = 0, .relative = 0, .allow_nonfinite = true};
  Status status;
  for (Array& array : arrays_) {
    const Argument& described = spec_.arguments[array.argument];
    if (described.role != Role::in || array.pristine.data() == nullptr) continue;
    const ResolvedArgument& resolved = resolved_[array.argument];
    const Comparison change =
        device_.compare(array.working.data(), array.pristine.data(), resolved.type, resolved.count, exact);
    if (change.mismatches == 0) continue;
    copy(array.working, array.pristine);
    status = {Verdict::guard,
              fmt::format("changed its input `{}`: {} elements, the first at [{}]", described.name, change.mismatches,
                          change.first),
              false};
  }
  return status;
}

Status ProblemData::compare(double& max_error) {
  for (Array& array : arrays_) {
    const Argument& described = spec_.arguments[array.argument];
    if (!is_output(described.role)) continue;
    const ResolvedArgument& resolved = resolved_[array.argument];
    const Comparison comparison =
        device_.compare(array.working.data(), array.expected.data(), resolved.type, resolved.count, array.tolerance);
    max_error = std::max(max_error, comparison.max_error);
    if (comparison.mismatches > 0) return {Verdict::wrong_result, element_text(comparison, described.name), false};
  }
  return {};
}

Status ProblemData::check(double& max_error) {
  const Status guards = check_guards();
  return guards.ok() ? compare(max_error) : guards;
}

Status ProblemData::check_guards() const {
  for (const Array& array : arrays_) {
    long long offset = 0;
    if (array.working.guards_intact(offset)) continue;
    return {Verdict::guard,
            fmt::format("wrote outside argument `{}`: the byte at offset {} of its {} bytes changed",
                        spec_.arguments[array.argument].name, offset, array.working.bytes()),
            false};
  }
  return {};
}

}  // namespace attune
