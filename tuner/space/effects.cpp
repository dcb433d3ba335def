// The effects of the rules of a search space.
#include <fmt/format.h>

#include "attune/search_space.hpp"
#include "space/rule_effect.hpp"

namespace attune {
namespace {

// Returns "TILE=16, ROWS=32, device.warp_size=32": the values of the rule's names.
std::string values_seen(const Expression& rule, const Scope& scope) {
  std::string text;
  const auto add = [&](const std::string& name, const std::string& value) {
    text += (text.empty() ? "" : ", ") + name + '=' + value;
  };
  for (const auto& name : rule.names()) {
    if (const Value* const value = scope.find(name)) add(name, value->text());
  }
  if (scope.device == nullptr) return text;
  for (const auto& name : rule.device_properties()) add("device." + name, scope.device->property(name)->text());
  return text;
}

}  // namespace

std::vector<RuleEffect> SearchSpace::effects() const {
  std::vector<RuleEffect> effects;
  for (std::size_t i = 0; i < rules().size(); ++i) {
    const Removed removed = removed_alone(*this, i);
    effects.push_back(
        {rules()[i].expression.text(), rules()[i].implied, removed.fraction, removed.certainty == Certainty::exact});
  }
  return effects;
}

std::vector<std::string> SearchSpace::broken_rules(const Bindings& configuration) const {
  const Scope scope{&problem(), &configuration, device()};
  std::vector<std::string> broken;
  for (const auto& rule : rules()) {
    if (rule.expression.holds(scope)) continue;
    std::string text = rule.expression.text();
    const std::string values = values_seen(rule.expression, scope);
    if (!values.empty()) text += fmt::format(" ({})", values);
    const auto result = rule.expression.evaluate(scope);
    if (const auto* undefined = std::get_if<Undefined>(&result)) text += ": " + undefined->reason;
    broken.push_back(std::move(text));
  }
  return broken;
}

}  // namespace attune
