#include "kernel/legality.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernel/instantiate.hpp"
#include "kernel/tensor_maps.hpp"

namespace attune {
namespace {

std::optional<Configuration> in_order(const std::vector<Parameter>& parameters, const Configuration& wished) {
  if (wished.size() != parameters.size()) return std::nullopt;
  std::vector<Binding> bindings;
  for (const Parameter& parameter : parameters) {
    const Value* value = wished.find(parameter.name);
    if (!value || std::ranges::find(parameter.values, *value) == parameter.values.end()) return std::nullopt;
    bindings.push_back({parameter.name, *value});
  }
  return Configuration(std::move(bindings));
}

// Returns what in_order() does not find: `TILE` is missing.
[[gnu::cold]] std::string why_unlisted(const std::vector<Parameter>& parameters, const Configuration& wished) {
  for (const Parameter& parameter : parameters) {
    const Value* const value = wished.find(parameter.name);
    if (!value) return fmt::format("the parameter `{}` has no value", parameter.name);
    if (std::ranges::find(parameter.values, *value) == parameter.values.end())
      return fmt::format("the kernel does not list {}={}", parameter.name, value->text());
  }
  for (const auto& [name, value] : wished)
    if (std::ranges::find(parameters, name, &Parameter::name) == parameters.end())
      return fmt::format("the kernel has no parameter `{}`", name);
  return "a parameter has two values";
}

// Returns false if the condition of `requires` holds for the configuration and the device lacks that architecture.
bool is_for(const KernelSpec& spec, const Scope& scope) {
  const CompileOptions& compile = spec.compile;
  return !compile.requires_where || !compile.requires_where->holds(scope) ||
         has_architecture(*scope.device, compile.requires_architecture);
}

// Returns the limit that the configuration breaks, or "".
std::string broken_limit(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device,
                         const Configuration& configuration) {
  try {
    resolve_steps(spec, spec.launch, problem, &configuration, device);
    resolve_steps(spec, spec.verify, problem, &configuration, device);
    check_tensor_maps(spec, {&problem, &configuration, &device});
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace

std::optional<Configuration> legal_configuration(const KernelSpec& spec, const Problem& problem,
                                                 const DeviceInfo& device, const Configuration& wished) {
  auto configuration = in_order(spec.parameters, wished);
  if (!configuration) return std::nullopt;
  const Scope scope{&problem, &*configuration, &device};
  if (!std::ranges::all_of(spec.rules, [&](const Expression& rule) { return rule.holds(scope); })) return std::nullopt;
  if (!is_for(spec, scope)) return std::nullopt;
  if (!broken_limit(spec, problem, device, *configuration).empty()) return std::nullopt;
  return configuration;
}

std::string why_illegal(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device,
                        const Configuration& wished) {
  const auto configuration = in_order(spec.parameters, wished);
  if (!configuration) return why_unlisted(spec.parameters, wished);
  const Scope scope{&problem, &*configuration, &device};
  for (const Expression& rule : spec.rules)
    if (!rule.holds(scope)) return fmt::format("{} does not hold", rule.text());
  if (!is_for(spec, scope))
    return fmt::format("it requires {}, and the device is {}", spec.compile.requires_architecture,
                       device.architecture());
  return broken_limit(spec, problem, device, *configuration);
}

bool is_deterministic(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device,
                      const Configuration& configuration) {
  return spec.deterministic && spec.deterministic->holds(Scope{&problem, &configuration, &device});
}

}  // namespace attune
