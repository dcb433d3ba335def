#include "space/stages/variables.hpp"

#include <fmt/format.h>

#include <numeric>

#include "base/near_name.hpp"

namespace attune::space {
namespace {

[[noreturn]] void unknown_name(const Expression& rule, const std::string& name,
                               const std::vector<Parameter>& parameters, const Bindings& problem) {
  std::vector<std::string> known;
  for (const auto& parameter : parameters) known.push_back(parameter.name);
  for (const auto& binding : problem) known.push_back(binding.name);
  throw UsageError(fmt::format("restriction `{}`: unknown name `{}`{}", rule.text(), name, suggestion(name, known)));
}

}  // namespace

RuleScope scope_of(const std::vector<Parameter>& parameters, const std::vector<Rule>& rules, const Bindings& problem,
                   const DeviceInfo* device) {
  RuleScope scope;
  scope.rules = &rules;
  scope.device = device;
  std::unordered_map<std::string_view, NameSource> sources;
  for (std::uint32_t i = 0; i < parameters.size(); ++i) {
    const auto& values = parameters[i].values;
    if (values.size() == 1) {
      sources[parameters[i].name] = {no_variable, &values[0]};
      continue;
    }
    sources[parameters[i].name] = {static_cast<int>(scope.variables.size()), nullptr};
    Variable variable{i, &values, std::vector<std::uint16_t>(values.size())};
    std::iota(variable.positions.begin(), variable.positions.end(), std::uint16_t{0});
    scope.variables.push_back(std::move(variable));
  }
  for (const Rule& rule : rules) {
    if (device == nullptr && !rule.expression.device_properties().empty()) {
      throw UsageError(fmt::format("restriction `{}`: device.{} has no value where no device is chosen",
                                   rule.expression.text(), rule.expression.device_properties().front()));
    }
    RuleNames names;
    for (const auto& name : rule.expression.names()) {
      const auto found = sources.find(name);
      const Value* const constant = found == sources.end() ? problem.find(name) : nullptr;
      if (found == sources.end() && constant == nullptr) unknown_name(rule.expression, name, parameters, problem);
      names.push_back(found == sources.end() ? NameSource{no_variable, constant} : found->second);
    }
    scope.names.push_back(std::move(names));
  }
  return scope;
}

}  // namespace attune::space
