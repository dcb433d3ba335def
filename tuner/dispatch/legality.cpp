#include "dispatch/legality.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "attune/search_space.hpp"
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
  std::string rules;
  auto effects = space.effects();
  std::ranges::stable_sort(effects, std::greater{}, &RuleEffect::removed_alone);
  for (const RuleEffect& effect : effects) {
    if (effect.removed_alone > 0) rules += fmt::format("\n  {:5.1f} %  {}", 100 * effect.removed_alone, effect.rule);
  }
  throw Error(fmt::format("no configuration of {} is legal for {} on {}; what each rule removes alone:{}", spec.name,
                          problem.text(), device.name, rules));
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
