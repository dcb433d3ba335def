// The arguments of a kernel for a problem and a configuration.
#include <fmt/format.h>

#include <algorithm>

#include "attune/error.hpp"
#include "kernel/empty_problem.hpp"
#include "kernel/instantiate.hpp"
#include "kernel/parameter_bytes.hpp"
#include "kernel/tensor_maps.hpp"

namespace attune {
namespace {

constexpr std::uint64_t max_bytes = std::uint64_t{1} << 62;

bool mentions_parameter(const KernelSpec& spec, const Expression& expression) {
  const auto& names = expression.names();
  return std::any_of(names.begin(), names.end(),
                     [&](const auto& name) { return spec.find_parameter(name) != nullptr; });
}

// Returns the elements of an array where nothing is launched: 0 for a size that is negative or has no value.
std::int64_t count_of_nothing(const Expression& size, const Scope& scope) {
  const Expression::Result result = size.evaluate(scope);
  const auto* const value = std::get_if<Value>(&result);
  return value != nullptr && value->is_integer() ? std::max<std::int64_t>(value->integer(), 0) : 0;
}

void resolve_array(ResolvedArgument& resolved, const Argument& argument, const TypeInfo& type, const Scope& scope,
                   const std::string& where, bool is_nothing) {
  if (!argument.size) throw Error(fmt::format("{}: an array needs a size", where));
  const std::int64_t count =
      is_nothing ? count_of_nothing(*argument.size, scope) : argument.size->integer(scope, where + " size");
  // Scratch arrays may have no elements, because some algorithms need none.
  const std::int64_t least = is_nothing || argument.role == Role::scratch ? 0 : 1;
  if (count < least)
    throw Error(fmt::format("{}: size {} is {}; expected at least {}", where, argument.size->text(), count, least));
  resolved.count = static_cast<std::uint64_t>(count);
  const bool overflows = __builtin_mul_overflow(resolved.count, std::uint64_t{type.size}, &resolved.bytes);
  // Where a step runs, all of its parameters are checked together.
  const bool is_limited = is_nothing && argument.by_value;
  if (overflows || resolved.bytes > (is_limited ? static_cast<std::uint64_t>(most_parameter_bytes) : max_bytes))
    throw Error(fmt::format("{}: {} elements of {} are more than {} bytes", where, count, type.name,
                            is_limited ? "32764" : "2^62"));
}

// Returns the value from `value` or the problem; nothing when the application passes it.
std::optional<Value> scalar_value(const Argument& argument, const Scope& scope, const std::string& where) {
  if (!argument.value) {
    const Value* const same_name = scope.problem->find(argument.name);
    if (same_name == nullptr || same_name->is_name()) return std::nullopt;
    return *same_name;
  }
  const auto result = argument.value->evaluate(scope);
  if (const auto* undefined = std::get_if<Undefined>(&result)) {
    throw Error(fmt::format("{} value: {}: {}", where, argument.value->text(), undefined->reason));
  }
  return std::get<Value>(result);
}

ResolvedArgument resolve_map(const KernelSpec& spec, const Argument& argument, const Scope& scope,
                             const std::string& where) {
  const Argument& array = *spec.find_argument(argument.tiles->array);
  ResolvedArgument resolved;
  resolved.type = concrete_type(array, *scope.problem).name;
  resolved.role = Role::map;
  resolved.bytes = tensor_map_bytes;
  if (scope.configuration != nullptr && is_encoded(argument, scope, where))
    resolved.map = ResolvedMap{static_cast<std::size_t>(&array - spec.arguments.data()),
                               tensor_layout(spec, argument, scope, where)};
  return resolved;
}

}  // namespace

const TypeInfo& concrete_type(const Argument& argument, const Bindings& problem) {
  const Value* const bound = problem.find(argument.type);
  return type_named(bound != nullptr && bound->is_name() ? std::string_view(bound->name()) : argument.type);
}

std::vector<ResolvedArgument> resolve_arguments(const KernelSpec& spec, const Problem& problem,
                                                const Configuration* configuration, const DeviceInfo& device) {
  const Scope scope{&problem, configuration, &device};
  const bool is_nothing = launches_nothing(spec, problem);
  std::vector<ResolvedArgument> arguments;
  for (const auto& argument : spec.arguments) {
    std::string where = fmt::format("kernel `{}`, argument `{}`, problem {}", spec.name, argument.name, problem.text());
    if (configuration != nullptr) where += ", configuration " + configuration->text();
    if (argument.role == Role::map) {
      arguments.push_back(resolve_map(spec, argument, scope, where));
      continue;
    }
    const TypeInfo& type = concrete_type(argument, problem);
    ResolvedArgument resolved;
    resolved.type = type.name;
    resolved.role = argument.role;
    resolved.bytes = type.size;
    resolved.by_value = argument.by_value;
    const bool is_scalar = argument.role == Role::scalar;
    resolved.is_mapped = argument.is_mapped && (!argument.mapped_where || argument.mapped_where->holds(scope));
    if (!argument.symbol.empty()) resolved.symbol = "&" + instantiate_entry(argument.symbol, scope);
    const auto& expression = is_scalar ? argument.value : argument.size;
    const bool is_open = configuration == nullptr && expression && mentions_parameter(spec, *expression);
    if (is_open || (is_nothing && is_scalar && expression)) {
      if (!is_scalar) resolved.count = resolved.bytes = 0;
    } else if (!is_scalar) {
      resolve_array(resolved, argument, type, scope, where, is_nothing);
    } else if ((resolved.value = scalar_value(argument, scope, where))) {
      try {
        encode_scalar(*resolved.value, type.name);
      } catch (const Error& error) {
        throw Error(fmt::format("{}: {}", where, error.what()));
      }
    }
    arguments.push_back(std::move(resolved));
  }
  return arguments;
}

}  // namespace attune
