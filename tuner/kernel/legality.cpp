#include "kernel/legality.hpp"

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

// Configurations for another architecture are none for this device.
bool is_for(const KernelSpec& spec, const Scope& scope) {
  const CompileOptions& compile = spec.compile;
  return !compile.requires_where || !compile.requires_where->holds(scope) ||
         has_architecture(*scope.device, compile.requires_architecture);
}

bool within_limits(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device,
                   const Configuration& configuration) {
  try {
    resolve_steps(spec, spec.launch, problem, &configuration, device);
    resolve_steps(spec, spec.verify, problem, &configuration, device);
    check_tensor_maps(spec, {&problem, &configuration, &device});
    return true;
  } catch (const Error&) {
    return false;
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
  if (!within_limits(spec, problem, device, *configuration)) return std::nullopt;
  return configuration;
}

}  // namespace attune
