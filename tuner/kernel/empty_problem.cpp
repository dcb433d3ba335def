#include "kernel/empty_problem.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "attune/error.hpp"
#include "kernel/parameter_bytes.hpp"

namespace attune {
namespace {

// Returns the elements of an array for which nothing is launched.
std::uint64_t count_of(const Argument& argument, const Scope& scope) {
  const Expression::Result result = argument.size->evaluate(scope);
  const auto* const value = std::get_if<Value>(&result);
  return value != nullptr && value->is_integer() ? static_cast<std::uint64_t>(std::max(value->integer(), {})) : 0;
}

}  // namespace

// Cold functions are compiled for size: libattune.so is to stay small.
[[gnu::cold]] bool launches_nothing(const KernelSpec& spec, const Problem& problem) {
  return spec.may_be_empty && std::ranges::any_of(spec.problem, [&](const ProblemParameter& parameter) {
           return parameter.kind == ProblemKind::size && problem.at(parameter.name) == Value(0);
         });
}

[[gnu::cold]] std::vector<ResolvedArgument> arguments_of_nothing(const KernelSpec& spec, const Problem& problem) {
  std::vector<ResolvedArgument> arguments;
  for (const Argument& argument : spec.arguments) {
    ResolvedArgument& resolved = arguments.emplace_back();
    resolved.role = argument.role;
    if (argument.role == Role::map) continue;
    const TypeInfo& type = concrete_type(argument, problem);
    resolved.type = type.name;
    resolved.bytes = type.size;
    if (argument.role == Role::scalar) {
      const Value* const value = argument.value ? nullptr : problem.find(argument.name);
      if (value != nullptr && !value->is_name()) resolved.value = *value;
      continue;
    }
    resolved.count = count_of(argument, {.problem = &problem});
    resolved.by_value = argument.by_value;
    if (argument.by_value && resolved.count > most_parameter_bytes / type.size)
      throw Error(fmt::format("kernel `{}`, problem {}: `{}` has {} elements by value; a launch takes {} bytes",
                              spec.name, problem.text(), argument.name, resolved.count, most_parameter_bytes));
    resolved.bytes = argument.by_value ? resolved.count * type.size : 0;
  }
  return arguments;
}

[[gnu::cold]] Match match_of_nothing(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device) {
  Match match;
  match.rung = Rung::exact;
  match.why = fmt::format("{} launches nothing for {} on {}, because a size is 0 ([kernel] empty = \"nothing\")",
                          spec.name, problem.text(), device.name);
  return match;
}

}  // namespace attune
