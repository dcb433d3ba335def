#include "c_api/arguments.hpp"

#include <fmt/format.h>

#include <array>

#include "attune/error.hpp"
#include "core/type_table.hpp"

namespace attune::c_api {
namespace {

// In the order of attune_type, from 1. The numbers are part of the interface: a new type comes last.
constexpr std::array type_names = {"bool",   "int8",  "int16",  "int32", "int64",    "uint8",    "uint16", "uint32",
                                   "uint64", "float", "double", "half",  "bfloat16", "float2",   "float4", "double2",
                                   "int2",   "int4",  "uint2",  "uint4", "half2",    "bfloat162"};
static_assert(type_names.size() == ATTUNE_BFLOAT162);

auto make_types() {
  std::array<const TypeInfo*, type_names.size()> types{};
  for (std::size_t i = 0; i < types.size(); ++i) types[i] = find_type(type_names[i]);
  return types;
}

[[noreturn]] void refuse(std::size_t place, std::string_view why) {
  throw UsageError(fmt::format("argument {}: {}", place + 1, why));
}

template <typename Narrow, typename Wide>
void widen(PlanArgument& argument, const void* value) {
  Narrow narrow;
  std::memcpy(&narrow, value, sizeof narrow);
  argument.set(static_cast<Wide>(narrow));
}

void set_integer(PlanArgument& argument, const TypeInfo& type, const void* value) {
  argument.kind = PlanArgument::Kind::integer;
  argument.is_signed = type.type_class == TypeClass::signed_integer;
  switch (type.size) {
    case 1:
      return argument.is_signed ? widen<std::int8_t, std::int64_t>(argument, value)
                                : widen<std::uint8_t, std::uint64_t>(argument, value);
    case 2:
      return argument.is_signed ? widen<std::int16_t, std::int64_t>(argument, value)
                                : widen<std::uint16_t, std::uint64_t>(argument, value);
    case 4:
      return argument.is_signed ? widen<std::int32_t, std::int64_t>(argument, value)
                                : widen<std::uint32_t, std::uint64_t>(argument, value);
    default:
      std::memcpy(argument.bytes.data(), value, sizeof(std::uint64_t));
  }
}

// Sets what plan_argument() would set for a C++ value.
void set_scalar(PlanArgument& argument, const TypeInfo& type, const void* value) {
  const bool is_number = type.components == 1;
  if (is_number && type.type_class != TypeClass::floating) return set_integer(argument, type, value);
  if (is_number && type.size >= sizeof(float)) {
    argument.kind = PlanArgument::Kind::floating;
    return type.size == sizeof(float) ? widen<float, double>(argument, value) : widen<double, double>(argument, value);
  }
  argument.kind = PlanArgument::Kind::other;
  std::memcpy(argument.bytes.data(), value, type.size);
}

void set_argument(PlanArgument& argument, const attune_argument& passed, std::size_t place) {
  const int kind = number_of(passed.kind);
  const int number = number_of(passed.type);
  const TypeInfo* const type = type_of(number);
  if (type == nullptr && number != ATTUNE_UNTYPED)
    refuse(place, fmt::format("{} is no attune_type; the types are 0 to {}", number, type_names.size()));
  if (type != nullptr) argument.type = type->name;
  if (kind == ATTUNE_ARRAY || kind == ATTUNE_CONST_ARRAY) {
    argument.is_const = kind == ATTUNE_CONST_ARRAY;
    argument.is_device = true;
    if (passed.count > 0) argument.count = passed.count;
    argument.set(passed.value);
    return;
  }
  if (kind != ATTUNE_SCALAR && kind != ATTUNE_VALUES)
    refuse(place, fmt::format("{} is no attune_argument_kind; use attune_array(), attune_const_array(), "
                              "attune_scalar() or attune_values()",
                              kind));
  if (type == nullptr) refuse(place, "a value needs a type; only arrays in device memory may be ATTUNE_UNTYPED");
  if (passed.value == nullptr)
    refuse(place, fmt::format("`value` is null; it must point to the {} in host memory", type->name));
  if (kind == ATTUNE_SCALAR) return set_scalar(argument, *type, passed.value);
  argument.kind = PlanArgument::Kind::values;
  argument.count = passed.count;
  argument.set(passed.value);
}

void refuse_null_list(const void* list, std::size_t count, const char* what) {
  if (list == nullptr && count > 0) throw UsageError(fmt::format("`{}` is null, but its count is {}", what, count));
}

}  // namespace

const TypeInfo* type_of(int number) noexcept {
  static const auto types = make_types();
  return number >= 1 && number <= static_cast<int>(types.size()) ? types[static_cast<std::size_t>(number) - 1]
                                                                 : nullptr;
}

void take_arguments(const attune_argument* arguments, std::size_t count, ArgumentList& list) {
  refuse_null_list(arguments, count, "arguments");
  for (std::size_t i = 0; i < count; ++i) set_argument(list.add(), arguments[i], i);
}

void take_values(const attune_problem_value* values, std::size_t count, ValueList& list) {
  refuse_null_list(values, count, "values");
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view name = values[i].name != nullptr ? values[i].name : "";
    if (values[i].text != nullptr)
      list.add(name, std::string_view(values[i].text));
    else
      list.add(name, values[i].integer);
  }
}

Problem problem_from(const attune_problem& problem) {
  refuse_null_list(problem.values, problem.count, "problem values");
  Problem made;
  for (std::size_t i = 0; i < problem.count; ++i) {
    const attune_problem_value& value = problem.values[i];
    if (value.name == nullptr)
      throw UsageError(fmt::format("value {} of the problem has no name; a plan's values are known by name", i + 1));
    if (made.find(value.name) != nullptr)
      throw UsageError(fmt::format("the problem has `{}` twice; give it once", value.name));
    made.set(value.name, value.text != nullptr ? Value(value.text) : Value(value.integer));
  }
  return made;
}

Policy policy_from(const attune_policy& policy) {
  switch (const int number = number_of(policy)) {
    case ATTUNE_POLICY_WAIT:
      return Policy::wait;
    case ATTUNE_POLICY_BACKGROUND:
      return Policy::background;
    case ATTUNE_POLICY_CACHED_ONLY:
      return Policy::cached_only;
    default:
      throw UsageError(fmt::format("{} is no attune_policy; the policies are 0 to 2", number));
  }
}

}  // namespace attune::c_api
