#include "dispatch/argument_table.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "attune/error.hpp"
#include "core/type_table.hpp"

namespace attune {
namespace {

using Bytes = std::array<std::byte, 16>;  // of what is passed; a slot has room for them

template <typename T>
T read(const Bytes& bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

template <typename T>
void write(void* slot, const T& value) {
  std::memcpy(slot, &value, sizeof value);
}

// As ==. Both are literals most often, which a linker keeps once.
bool same(std::string_view one, std::string_view other) {
  return one.size() == other.size() &&
         (one.data() == other.data() || std::memcmp(one.data(), other.data(), one.size()) == 0);
}

// Largest integers up to which every integer is a value of the type.
constexpr double exact_in_half = 2048;
constexpr double exact_in_bfloat16 = 256;

// Integers become floating-point only if nothing is lost. long double holds every 64-bit integer on the platforms
// that have CUDA.
template <typename Real>
bool exact_integer(const PlanArgument& passed, double& value) {
  const long double integer = passed.is_signed ? static_cast<long double>(read<std::int64_t>(passed.bytes))
                                               : static_cast<long double>(read<std::uint64_t>(passed.bytes));
  value = static_cast<double>(static_cast<Real>(integer));
  return static_cast<long double>(value) == integer;
}

std::string shown(const PlanArgument& passed) {
  switch (passed.kind) {
    case PlanArgument::Kind::values:
      return fmt::format("an object in host memory, of {} {},", passed.count, passed.type);
    case PlanArgument::Kind::pointer:
      if (!read<void*>(passed.bytes)) return "a null pointer";
      if (passed.type.empty()) return passed.is_const ? "a const void*" : "a void*";
      return fmt::format("a pointer to {}{}", passed.is_const ? "const " : "", passed.type);
    case PlanArgument::Kind::integer:
      return passed.is_signed ? fmt::format("the integer {}", read<std::int64_t>(passed.bytes))
                              : fmt::format("the integer {}", read<std::uint64_t>(passed.bytes));
    case PlanArgument::Kind::floating:
      return fmt::format("the floating-point value {}", read<double>(passed.bytes));
    case PlanArgument::Kind::other:
      break;
  }
  return fmt::format("a {}", passed.type);
}

}  // namespace

std::vector<std::size_t> passed_arguments(const KernelSpec& spec) {
  std::vector<std::size_t> passed;
  for (std::size_t i = 0; i < spec.arguments.size(); ++i) {
    const Argument& argument = spec.arguments[i];
    // What prepare, reference and verify steps alone use is the tuner's.
    const bool is_plans_own = argument.role == Role::scratch || argument.role == Role::map ||
                              (argument.role == Role::scalar && argument.value) ||
                              (argument.symbol.empty() && !use_argument(spec, spec.launch, argument.name));
    if (!is_plans_own) passed.push_back(i);
  }
  return passed;
}

ArgumentTable::ArgumentTable(const KernelSpec& spec, std::span<const ResolvedArgument> resolved) : kernel_(spec.name) {
  for (const std::size_t i : passed_arguments(spec)) expected_.push_back(expect(spec.arguments[i], resolved[i], i));
}

ArgumentTable::Expected ArgumentTable::expect(const Argument& argument, const ResolvedArgument& resolved,
                                              std::size_t slot) {
  const TypeInfo& type = type_named(resolved.type);
  Expected expected;
  expected.name = argument.name;
  expected.type = type.name;
  expected.slot = slot;
  if (argument.role != Role::scalar) {
    expected.size = sizeof(void*);
    expected.count = resolved.count;
    expected.is_written = argument.role != Role::in;
    if (argument.by_value) {
      expected.form = Form::values;
      expected.size = static_cast<unsigned>(resolved.bytes);
    }
    return expected;
  }
  expected.size = type.size;
  const unsigned bits = type.size * 8;
  if (type.components != 1) {
    expected.form = Form::verbatim;
  } else if (type.type_class == TypeClass::boolean) {
    expected.form = Form::boolean;
    expected.maximum = 1;
  } else if (type.type_class == TypeClass::floating) {
    expected.form = type.size == 8 ? Form::real64 : type.size == 4 ? Form::real32 : Form::real16;
  } else {
    const bool is_signed = type.type_class == TypeClass::signed_integer;
    expected.form = Form::integer;
    expected.maximum = ~std::uint64_t{0} >> (64 - bits + (is_signed ? 1 : 0));
    expected.minimum = is_signed ? -static_cast<std::int64_t>(expected.maximum) - 1 : 0;
  }
  if (resolved.value) {
    expected.is_fixed = true;
    expected.fixed = encode_scalar(*resolved.value, resolved.type);
    expected.fixed_text = resolved.value->text();
  }
  return expected;
}

void ArgumentTable::encode(std::span<const PlanArgument> passed, std::span<void* const> slots) const {
  if (passed.size() != expected_.size()) refuse_count(passed.size());
  for (std::size_t i = 0; i < passed.size(); ++i) {
    const Expected& expected = expected_[i];
    void* const slot = slots[expected.slot];
    if (!store(expected, passed[i], slot)) refuse(i, passed[i]);
    if (expected.is_fixed && !is_as_fixed(expected, passed[i], slot)) refuse(i, passed[i]);
  }
}

bool ArgumentTable::is_as_fixed(const Expected& expected, const PlanArgument& passed, const void* slot) {
  if (expected.form != Form::integer) return std::memcmp(slot, expected.fixed.data(), expected.size) == 0;
  // Not read from the slot, which was written just now in a larger piece: the processor would wait for it.
  const std::uint64_t difference = read<std::uint64_t>(passed.bytes) ^ read<std::uint64_t>(expected.fixed);
  return difference << (64 - 8 * expected.size) == 0;
}

bool ArgumentTable::store(const Expected& expected, const PlanArgument& passed, void* slot) {
  switch (expected.form) {
    case Form::array:
      write(slot, passed.bytes);
      return passed.kind == PlanArgument::Kind::pointer && (passed.type.empty() || same(passed.type, expected.type)) &&
             !(passed.is_const && expected.is_written) && passed.count >= expected.count &&
             (read<void*>(passed.bytes) || expected.count == 0);
    case Form::values:
      return store_values(expected, passed, slot);
    case Form::boolean:
    case Form::integer:
      return store_integer(expected, passed, slot);
    case Form::verbatim:
      write(slot, passed.bytes);
      return passed.kind == PlanArgument::Kind::other && passed.type == expected.type;
    default:
      return store_real(expected, passed, slot);
  }
}

bool ArgumentTable::store_values(const Expected& expected, const PlanArgument& passed, void* slot) {
  const bool is_object =
      passed.kind == PlanArgument::Kind::values || (passed.kind == PlanArgument::Kind::pointer && !passed.is_device);
  if (!is_object || passed.count != expected.count || passed.type != expected.type) return false;
  std::memcpy(slot, read<const void*>(passed.bytes), expected.size);
  return true;
}

bool ArgumentTable::store_integer(const Expected& expected, const PlanArgument& passed, void* slot) {
  if (passed.kind != PlanArgument::Kind::integer) return false;
  write(slot, passed.bytes);  // little-endian: the low bytes are the narrower value
  if (passed.is_signed && read<std::int64_t>(passed.bytes) < 0)
    return read<std::int64_t>(passed.bytes) >= expected.minimum;
  return read<std::uint64_t>(passed.bytes) <= expected.maximum;
}

bool ArgumentTable::store_real(const Expected& expected, const PlanArgument& passed, void* slot) {
  if (passed.kind == PlanArgument::Kind::other) {  // half, bfloat16 as such
    write(slot, passed.bytes);
    return passed.type == expected.type;
  }
  if (passed.kind == PlanArgument::Kind::pointer || passed.kind == PlanArgument::Kind::values) return false;
  const bool is_integer = passed.kind == PlanArgument::Kind::integer;
  double value = 0;
  if (!is_integer) value = read<double>(passed.bytes);
  if (expected.form == Form::real64) {
    if (is_integer && !exact_integer<double>(passed, value)) return false;
    write(slot, value);
    return true;
  }
  if (is_integer && !exact_integer<float>(passed, value)) return false;
  if (expected.form == Form::real32) {
    // Written so that only a finite value that becomes infinite is refused; what rounds, rounds as in C++.
    const float narrow = static_cast<float>(value);
    write(slot, narrow);
    return std::isfinite(narrow) || !std::isfinite(value);
  }
  if (is_integer && std::abs(value) > (expected.type == "half" ? exact_in_half : exact_in_bfloat16)) return false;
  try {
    write(slot, encode_scalar(Value(value), expected.type));
    return true;
  } catch (const Error&) {
    return false;
  }
}

std::string ArgumentTable::reason(const Expected& expected, const PlanArgument& passed) {
  const std::string got = shown(passed);
  if (expected.form == Form::values)
    return fmt::format(
        "is an array of {} {} that is passed by value, but {} was passed; pass a std::array or std::span",
        expected.count, expected.type,
        passed.is_device ? "a Buffer, which is device memory,"
        : passed.kind == PlanArgument::Kind::pointer && passed.count != PlanArgument::unknown_count
            ? fmt::format("an object with {} {}", passed.count, passed.type)
            : got);
  if (expected.form == Form::array) {
    const std::string array = fmt::format("is an array of {} {} that the kernel {}", expected.count, expected.type,
                                          expected.is_written ? "writes" : "reads");
    const bool right_type =
        passed.kind == PlanArgument::Kind::pointer && (passed.type.empty() || passed.type == expected.type);
    if (right_type && read<void*>(passed.bytes) && passed.count < expected.count) {
      return fmt::format("{}, but what was passed has {}", array, passed.count);
    }
    return fmt::format("{}, but {} was passed", array, got);
  }
  const bool is_scalar = passed.kind == PlanArgument::Kind::integer || passed.kind == PlanArgument::Kind::floating;
  if (expected.is_fixed && is_scalar) {
    return fmt::format("is {} in the plan's problem, but {} was passed; make a plan for the other problem",
                       expected.fixed_text, got);
  }
  const bool wants_real =
      expected.form == Form::real16 || expected.form == Form::real32 || expected.form == Form::real64;
  if (passed.kind == PlanArgument::Kind::integer || (wants_real && passed.kind == PlanArgument::Kind::floating)) {
    return fmt::format("is of type {}, which {} does not fit", expected.type, got);
  }
  return fmt::format("is of type {}, but {} was passed", expected.type, got);
}

void ArgumentTable::refuse(std::size_t position, const PlanArgument& passed) const {
  const Expected& expected = expected_[position];
  throw UsageError(fmt::format("launch of {}: argument {}, `{}`, {}; expected {}", kernel_, position + 1, expected.name,
                               reason(expected, passed), signature()));
}

void ArgumentTable::refuse_count(std::size_t passed) const {
  throw UsageError(fmt::format("launch of {}: {} argument{} passed, {} expected: {}", kernel_, passed,
                               passed == 1 ? " was" : "s were", expected_.size(), signature()));
}

std::string ArgumentTable::signature() const {
  std::string list;
  for (const Expected& expected : expected_) {
    const bool is_array = expected.form == Form::array;
    if (expected.form == Form::values) {
      list +=
          fmt::format("{}{}: {} {} by value", list.empty() ? "" : ", ", expected.name, expected.count, expected.type);
      continue;
    }
    list += fmt::format("{}{}: {}{}{}", list.empty() ? "" : ", ", expected.name,
                        is_array && !expected.is_written ? "const " : "", expected.type, is_array ? "*" : "");
  }
  return fmt::format("{}({})", kernel_, list);
}

}  // namespace attune
