#include "dispatch/argument_table.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "attune/error.hpp"
#include "core/type_table.hpp"

namespace attune {
namespace {

template <typename T>
void put(void* slot, const T& value) {
  std::memcpy(slot, &value, sizeof value);
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

// Cold functions are compiled for size: libattune.so is to stay small.
[[gnu::cold]] std::string shown(const PlanArgument& passed) {
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
    // An argument that only prepare, reference and verify steps use belongs to the tuner.
    const bool is_plans_own = argument.role == Role::scratch || argument.role == Role::map ||
                              (argument.role == Role::scalar && argument.value) ||
                              (argument.symbol.empty() && !use_argument(spec, spec.launch, argument.name));
    if (!is_plans_own) passed.push_back(i);
  }
  return passed;
}

[[gnu::cold]] ArgumentTable::ArgumentTable(const KernelSpec& spec, std::span<const ResolvedArgument> resolved)
    : kernel_(spec.name) {
  forms_.reserve(resolved.size());
  for (const std::size_t i : passed_arguments(spec)) expect(spec.arguments[i], resolved[i], i);
}

[[gnu::cold]] void ArgumentTable::expect(const Argument& argument, const ResolvedArgument& resolved, std::size_t slot) {
  const TypeInfo& type = type_named(resolved.type);
  shown_.push_back({argument.name, resolved.value ? resolved.value->text() : std::string()});
  ArgumentForm& expected = forms_.emplace_back();
  expected.type_name = type.name.data();
  expected.type_length = static_cast<std::uint8_t>(type.name.size());
  expected.slot = static_cast<std::uint16_t>(slot);
  if (argument.role != Role::scalar) {
    expected.size = sizeof(void*);
    expected.limit = resolved.count;
    expected.is_written = argument.role != Role::in;
    if (argument.by_value) {
      expected.kind = Kind::values;
      expected.size = static_cast<std::uint16_t>(resolved.bytes);
    }
    return;
  }
  expected.size = static_cast<std::uint16_t>(type.size);
  const unsigned bits = type.size * 8;
  if (type.components != 1) {
    expected.kind = Kind::verbatim;
  } else if (type.type_class == TypeClass::boolean) {
    expected.kind = Kind::integer;
    expected.limit = 1;
  } else if (type.type_class == TypeClass::floating) {
    expected.kind = type.size == 8 ? Kind::real64 : type.size == 4 ? Kind::real32 : Kind::real16;
  } else {
    expected.kind = Kind::integer;
    expected.is_signed = type.type_class == TypeClass::signed_integer;
    expected.limit = ~std::uint64_t{0} >> (64 - bits + (expected.is_signed ? 1 : 0));
  }
  if (resolved.value) {
    expected.is_fixed = true;
    expected.fixed = read<std::uint64_t>(encode_scalar(*resolved.value, resolved.type));  // no vector type
  }
}

void ArgumentTable::encode(std::span<const PlanArgument> passed, std::span<void* const> slots) const {
  if (passed.size() != forms_.size()) refuse_count(passed.size());
  for (std::size_t i = 0; i < passed.size(); ++i) {
    const ArgumentForm& form = forms_[i];
    std::uint64_t room = 0;
    const void* const bytes = form.bytes_of(passed[i], room);
    if (bytes == nullptr) refuse(i, passed[i]);
    std::memcpy(slots[form.slot], bytes, form.size);
  }
}

[[gnu::hot]] const void* ArgumentForm::other_of(const PlanArgument& passed, std::uint64_t& room) const {
  const void* bytes = nullptr;
  switch (kind) {
    case Kind::values:
      if (passed.kind != PlanArgument::Kind::values && (passed.kind != PlanArgument::Kind::pointer || passed.is_device))
        return nullptr;
      return passed.count == limit && is_of_type(passed.type) ? read<const void*>(passed.bytes) : nullptr;
    case Kind::verbatim:
      if (passed.kind == PlanArgument::Kind::other && is_of_type(passed.type)) bytes = passed.bytes.data();
      break;
    case Kind::array:
    case Kind::integer:
      return nullptr;  // bytes_of() has handled all values that fit
    default:
      bytes = real_of(passed, room);
  }
  return bytes != nullptr && is_fixed && std::memcmp(bytes, &fixed, size) != 0 ? nullptr : bytes;
}

[[gnu::hot]] const void* ArgumentForm::real_of(const PlanArgument& passed, std::uint64_t& room) const {
  if (passed.kind == PlanArgument::Kind::other)  // a half or bfloat16 itself
    return is_of_type(passed.type) ? passed.bytes.data() : nullptr;
  if (passed.kind == PlanArgument::Kind::pointer || passed.kind == PlanArgument::Kind::values) return nullptr;
  const bool is_integer = passed.kind == PlanArgument::Kind::integer;
  if (!is_integer && kind == Kind::real32) return float_of(passed, room);
  double value = 0;
  if (!is_integer) value = read<double>(passed.bytes);
  if (kind == Kind::real64) {
    if (is_integer && !exact_integer<double>(passed, value)) return nullptr;
    put(&room, value);
    return &room;
  }
  if (is_integer && !exact_integer<float>(passed, value)) return nullptr;
  if (kind == Kind::real32) {
    put(&room, static_cast<float>(value));
    return &room;
  }
  if (is_integer && std::abs(value) > (type() == "half" ? exact_in_half : exact_in_bfloat16)) return nullptr;
  try {
    std::memcpy(&room, encode_scalar(Value(value), type()).data(), size);
    return &room;
  } catch (const Error&) {
    return nullptr;
  }
}

[[gnu::cold]] std::string ArgumentTable::reason(std::size_t position, const PlanArgument& passed) const {
  const ArgumentForm& expected = forms_[position];
  const std::string got = shown(passed);
  if (expected.kind == Kind::values)
    return fmt::format(
        "is an array of {} {} that is passed by value, but {} was passed; pass a std::array or std::span",
        expected.limit, expected.type(),
        passed.is_device ? "a Buffer, which is device memory,"
        : passed.kind == PlanArgument::Kind::pointer && passed.count != PlanArgument::unknown_count
            ? fmt::format("an object with {} {}", passed.count, passed.type)
            : got);
  if (expected.kind == Kind::array) {
    const std::string array = fmt::format("is an array of {} {} that the kernel {}", expected.limit, expected.type(),
                                          expected.is_written ? "writes" : "reads");
    const bool right_type =
        passed.kind == PlanArgument::Kind::pointer && (passed.type.empty() || passed.type == expected.type());
    if (right_type && read<void*>(passed.bytes) && passed.count < expected.limit) {
      return fmt::format("{}, but what was passed has {}", array, passed.count);
    }
    return fmt::format("{}, but {} was passed", array, got);
  }
  const bool is_scalar = passed.kind == PlanArgument::Kind::integer || passed.kind == PlanArgument::Kind::floating;
  if (expected.is_fixed && is_scalar) {
    return fmt::format("is {} in the plan's problem, but {} was passed; make a plan for the other problem",
                       shown_[position].fixed_text, got);
  }
  const bool wants_real =
      expected.kind == Kind::real16 || expected.kind == Kind::real32 || expected.kind == Kind::real64;
  if (passed.kind == PlanArgument::Kind::integer || (wants_real && passed.kind == PlanArgument::Kind::floating)) {
    return fmt::format("is of type {}, which {} does not fit", expected.type(), got);
  }
  return fmt::format("is of type {}, but {} was passed", expected.type(), got);
}

[[gnu::cold]] void ArgumentTable::refuse(std::size_t position, const PlanArgument& passed) const {
  throw UsageError(fmt::format("launch of {}: argument {}, `{}`, {}; expected {}", kernel_, position + 1,
                               shown_[position].name, reason(position, passed), signature()));
}

[[gnu::cold]] void ArgumentTable::refuse_count(std::size_t passed) const {
  throw UsageError(fmt::format("launch of {}: {} argument{} passed, {} expected: {}", kernel_, passed,
                               passed == 1 ? " was" : "s were", forms_.size(), signature()));
}

[[gnu::cold]] std::string ArgumentTable::signature() const {
  std::string list;
  for (std::size_t i = 0; i < forms_.size(); ++i) {
    const ArgumentForm& expected = forms_[i];
    const std::string& name = shown_[i].name;
    const bool is_array = expected.kind == Kind::array;
    if (expected.kind == Kind::values) {
      list += fmt::format("{}{}: {} {} by value", list.empty() ? "" : ", ", name, expected.limit, expected.type());
      continue;
    }
    list += fmt::format("{}{}: {}{}{}", list.empty() ? "" : ", ", name,
                        is_array && !expected.is_written ? "const " : "", expected.type(), is_array ? "*" : "");
  }
  return fmt::format("{}({})", kernel_, list);
}

}  // namespace attune
