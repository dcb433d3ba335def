#include "core/legality.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "attune/search_space.hpp"
#include "attune/space_audit.hpp"
#include "core/instantiate.hpp"

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

bool within_limits(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device,
                   const Configuration& configuration) {
  try {
    resolve_steps(spec, spec.launch, problem, &configuration, device);
    return true;
  } catch (const Error&) {
    return false;
  }
}

[[noreturn]] void refuse_empty_space(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device,
                                     const SearchSpace& space) {
  const auto core = empty_core(space);
  std::string rules;
  for (const std::size_t i : core ? core->rules : space.left_out()) {
    const Rule& rule = space.rules()[i];
    rules += fmt::format("\n  {}{}", rule.expression.text(), rule.implied ? "  (a limit of the device)" : "");
  }
  const char* const found = core ? "is legal" : "was found that is legal";
  const char* const why = core ? "these rules together leave nothing"
                               : "these rules outgrow the budget of counting, and what was tried breaks them";
  throw Error(fmt::format("no configuration of {} {} for {} on {}: {}:{}", spec.name, found, problem.text(),
                          device.name, why, rules));
}

}  // namespace

std::optional<Configuration> legal_configuration(const KernelSpec& spec, const Problem& problem,
                                                 const DeviceInfo& device, const Configuration& wished) {
  auto configuration = in_order(spec.parameters, wished);
  if (!configuration) return std::nullopt;
  const Scope scope{&problem, &*configuration, &device};
  if (!std::ranges::all_of(spec.rules, [&](const Expression& rule) { return rule.holds(scope); })) return std::nullopt;
  if (!within_limits(spec, problem, device, *configuration)) return std::nullopt;
  return configuration;
}

Configuration default_for(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device) {
  std::vector<Binding> first_values;
  for (const Parameter& parameter : spec.parameters) first_values.push_back({parameter.name, parameter.values.front()});
  if (auto first = legal_configuration(spec, problem, device, Configuration(std::move(first_values)))) return *first;
  const SearchSpace space = make_space(spec, problem, device);
  if (auto nearest = default_configuration(spec, space)) return *nearest;
  refuse_empty_space(spec, problem, device, space);
}

}  // namespace attune
