#include "core/rule_check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "attune/error.hpp"
#include "core/near_name.hpp"

namespace attune {
namespace {

[[noreturn]] void unknown_name(const Expression& rule, const std::string& name,
                               const std::vector<Parameter>& parameters, const Bindings& problem) {
  std::vector<std::string> known;
  for (const auto& parameter : parameters) known.push_back(parameter.name);
  for (const auto& binding : problem) known.push_back(binding.name);
  throw UsageError(fmt::format("restriction `{}`: unknown name `{}`{}", rule.text(), name, suggestion(name, known)));
}

}  // namespace

RuleCheck::RuleCheck(const Expression& rule, const std::vector<Parameter>& parameters, const Bindings& problem,
                     const DeviceInfo* device)
    : rule_(rule), parameters_(parameters), device_(device) {
  if (device == nullptr && !rule.device_properties().empty()) {
    throw UsageError(fmt::format("restriction `{}`: device.{} has no value where no device is chosen", rule.text(),
                                 rule.device_properties().front()));
  }
  for (const auto& name : rule.names()) {
    const auto parameter =
        std::find_if(parameters.begin(), parameters.end(), [&](const Parameter& item) { return item.name == name; });
    const Value* const constant = problem.find(name);
    if (parameter != parameters.end()) {
      sources_.push_back(static_cast<std::size_t>(parameter - parameters.begin()));
      mentioned_.push_back(sources_.back());
    } else if (constant != nullptr) {
      sources_.push_back(fixed);
    } else {
      unknown_name(rule, name, parameters, problem);
    }
    values_.push_back(constant);
  }
  std::sort(mentioned_.begin(), mentioned_.end());
}

bool RuleCheck::holds(std::span<const std::uint16_t> positions) {
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    if (sources_[i] != fixed) values_[i] = &parameters_[sources_[i]].values[positions[sources_[i]]];
  }
  return rule_.holds(values_, device_);
}

}  // namespace attune
