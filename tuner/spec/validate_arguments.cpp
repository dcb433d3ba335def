// [arguments]: types, roles, sizes, data.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/identifier.hpp"
#include "base/near_name.hpp"
#include "core/type_names.hpp"
#include "core/type_table.hpp"
#include "kernel/fill_values.hpp"
#include "spec/names.hpp"
#include "spec/shortened.hpp"
#include "spec/validate.hpp"

namespace attune {
namespace {

std::string place_of(const Argument& argument) { return "arguments." + argument.name; }

void validate_name(const KernelSpec& spec, const Argument& argument) {
  const auto place = place_of(argument);
  const auto& name = argument.name;
  if (!is_identifier(name)) {
    throw key_fault(place, fmt::format("`{}` cannot name an argument: expected letters, digits and `_`, no digit first",
                                       shortened(name)));
  }
  if (spec.find_parameter(name) != nullptr) {
    throw key_fault(place, fmt::format("`{0}` is a parameter: to pass its value, name the argument otherwise and write "
                                       "value = \"{0}\"",
                                       name));
  }
  const auto* entry = spec.find_problem(name);
  if (entry == nullptr) return;
  if (entry->kind == ProblemKind::type) {
    throw key_fault(place, fmt::format("`{}` is a type of the problem: a type cannot be passed", name));
  }
  if (entry->kind == ProblemKind::choice) {
    throw key_fault(place,
                    fmt::format("`{0}` is a choice of the problem, a name: pass it inside <...> of the entry, or "
                                "name the argument otherwise and write value = \"{0} == 'NAME' ? 0 : 1\"",
                                name));
  }
  if (argument.role != Role::scalar) {
    throw key_fault(place, fmt::format("`{}` is a problem name, so the argument is that value: a scalar, with neither "
                                       "`size` nor `role`",
                                       name));
  }
}

// Returns the types that an argument may have: its own, or all types of its type parameter.
std::vector<const TypeInfo*> types_of(const KernelSpec& spec, const Argument& argument) {
  std::vector<const TypeInfo*> types;
  const auto* entry = spec.find_problem(argument.type);
  if (entry != nullptr && entry->kind == ProblemKind::type) {
    for (const auto& type : entry->types) types.push_back(find_type(type));
    return types;
  }
  if (const auto* type = find_type(argument.type)) return {type};
  std::vector<std::string> known;
  for (const auto& candidate : spec.problem) {
    if (candidate.kind == ProblemKind::type) known.push_back(candidate.name);
  }
  throw Fault(place_of(argument) + ".type", fmt::format("unknown type `{}`{}", shortened(argument.type),
                                                        type_suggestion(argument.type, std::move(known))));
}

FillValues constant_values(const Fill& fill, const std::string& place) {
  try {
    return fill_values(fill, {});
  } catch (const ExpressionError& error) {  // for specs in C++: those of files were checked when they were read
    throw Fault(place, error.what());
  }
}

void validate_fill(const KernelSpec& spec, const Argument& argument, const std::vector<const TypeInfo*>& types) {
  if (!argument.fill) return;
  const auto place = place_of(argument) + ".fill";
  if (argument.role == Role::out || argument.role == Role::scratch) {
    throw Fault(place, fmt::format("`{}` is {}: it takes no fill", argument.name,
                                   argument.role == Role::out ? "an output, poisoned before each checked launch"
                                                              : "scratch memory, zeroed when a plan is made"));
  }
  const Fill& fill = *argument.fill;
  if (fill.numbers.size() != numbers_of(fill.kind)) {
    throw Fault(place, fmt::format("{} numbers; this fill has {}", fill.numbers.size(), numbers_of(fill.kind)));
  }
  for (const auto& number : fill.numbers) require_known_names(spec, number, AllowedNames{.subject = "a fill"}, place);
  if (!is_constant(fill)) return;
  const FillValues values = constant_values(fill, place);
  for (const auto* type : types) {
    const auto reason = misfit(values, *type);
    if (!reason) continue;
    const bool one_of_many = argument.type != type->name;
    throw Fault(place, *reason + (one_of_many ? fmt::format(", one of the types of `{}`", argument.type) : ""));
  }
}

void validate_array(const KernelSpec& spec, const Argument& argument) {
  const auto place = place_of(argument);
  if (!argument.size) {
    throw Fault(place + ".role",
                fmt::format("`{}` has a role, so it is an array and needs `size`, in elements", argument.name));
  }
  if (argument.value) {
    throw Fault(place + ".value", fmt::format("`{}` is an array: only scalars have a `value`", argument.name));
  }
  if (argument.by_value && (argument.is_mapped || !argument.symbol.empty()))
    throw Fault(place + ".pass",
                fmt::format("`{}` is passed by value: it has neither `place` nor `symbol`", argument.name));
  if (argument.by_value && argument.role != Role::in)
    throw Fault(place + ".pass",
                fmt::format("only an `in` array can be passed by value; what a kernel writes into `{}` "
                            "would be lost",
                            argument.name));
  const bool scratch = argument.role == Role::scratch;
  const AllowedNames allowed{
      .parameters = scratch, .device = scratch, .subject = "the size of an argument that the application passes"};
  require_known_names(spec, *argument.size, allowed, place + ".size");
  require_integer_if_constant(*argument.size, 1, place + ".size");
}

// Exactly one of problem name, `value` and `fill` gives a scalar's value while tuning.
void validate_scalar_source(const KernelSpec& spec, const Argument& argument) {
  const auto place = place_of(argument);
  const bool from_problem = spec.find_problem(argument.name) != nullptr;
  if (from_problem && (argument.value || argument.fill)) {
    throw Fault(
        place + (argument.value ? ".value" : ".fill"),
        fmt::format("`{}` takes the problem's value of that name: drop this, or rename the argument", argument.name));
  }
  if (argument.value && argument.fill) {
    throw Fault(place + ".fill", fmt::format("`{}` is computed by `value`: drop `fill`", argument.name));
  }
  if (from_problem || argument.value || argument.fill) return;
  std::vector<std::string> sizes;
  for (const auto& entry : spec.problem) {
    if (entry.kind == ProblemKind::size || entry.kind == ProblemKind::integer) sizes.push_back(entry.name);
  }
  const auto near = nearest_name(argument.name, sizes);
  throw Fault(place,
              fmt::format("nothing says what the scalar `{}` is while tuning: give it the name of a problem entry, "
                          "value = \"expression\", or fill = \"2.5\" (an array: `size` and `role`){}",
                          argument.name, near ? "; did you mean `" + *near + "`?" : ""));
}

void validate_scalar(const KernelSpec& spec, const Argument& argument, const std::vector<const TypeInfo*>& types) {
  const auto place = place_of(argument);
  if (argument.size) {
    throw Fault(place + ".size", fmt::format("`{}` has a size, so it is an array and needs a role", argument.name));
  }
  if (argument.by_value)
    throw Fault(place + ".pass", fmt::format("`{}` is a scalar, which is passed by value anyway", argument.name));
  for (const auto* type : types) {
    if (type->components == 1) continue;
    throw Fault(place + ".type", fmt::format("a scalar cannot be a {}: pass its components, or an array", type->name));
  }
  validate_scalar_source(spec, argument);
  if (!argument.value) return;
  const AllowedNames allowed{.parameters = true, .device = true, .subject = "a value"};
  require_known_names(spec, *argument.value, allowed, place + ".value");
}

void validate_argument(const KernelSpec& spec, const Argument& argument) {
  const auto place = place_of(argument);
  validate_name(spec, argument);
  if (argument.role == Role::map) return validate_tensor_map(spec, argument);
  if (argument.tiles) throw Fault(place + ".tensor", "only an argument of the role map is a tensor map");
  const auto types = types_of(spec, argument);
  if (argument.role == Role::scalar) {
    validate_scalar(spec, argument, types);
  } else {
    validate_array(spec, argument);
  }
  validate_fill(spec, argument, types);
  if (!argument.restore && argument.role != Role::inout) {
    throw Fault(place + ".restore", "only `inout` arguments are restored");
  }
}

}  // namespace

void validate_arguments(const KernelSpec& spec) {
  std::set<std::string_view> seen;
  bool has_output = false;
  for (const auto& argument : spec.arguments) {
    validate_argument(spec, argument);
    if (!seen.insert(argument.name).second) {
      throw key_fault(place_of(argument), fmt::format("`{}` is named twice", argument.name));
    }
    has_output = has_output || argument.role == Role::out || argument.role == Role::inout;
  }
  if (!has_output) throw Fault("arguments", "no argument has the role out or inout: nothing could be checked");
}

}  // namespace attune
