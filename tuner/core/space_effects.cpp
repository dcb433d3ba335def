// What the rules of a search space do, for those who wonder where their configurations went.
#include <fmt/format.h>

#include "attune/error.hpp"
#include "attune/search_space.hpp"
#include "core/rule_check.hpp"

namespace attune {
namespace {

constexpr std::uint64_t max_exact_combinations = std::uint64_t{1} << 20;  // about 0.1 s
constexpr std::uint64_t sampled_combinations = 65536;                     // standard error below 0.2 %
constexpr std::uint64_t sampling_seed = 0x61747475;                       // any fixed number: the same answer each time

// Of the values of the parameters that the rule mentions, saturating just above max_exact_combinations.
std::uint64_t combinations(const RuleCheck& check, const std::vector<Parameter>& parameters) {
  std::uint64_t product = 1;
  for (const std::size_t i : check.mentioned()) {
    product *= parameters[i].values.size();
    if (product > max_exact_combinations) return max_exact_combinations + 1;
  }
  return product;
}

// The next combination, the last mentioned parameter varying fastest.
void advance(std::vector<std::uint16_t>& row, const RuleCheck& check, const std::vector<Parameter>& parameters) {
  for (auto i = check.mentioned().rbegin(); i != check.mentioned().rend(); ++i) {
    if (++row[*i] < parameters[*i].values.size()) return;
    row[*i] = 0;
  }
}

double removed_fraction(RuleCheck& check, const std::vector<Parameter>& parameters, bool& exact) {
  std::vector<std::uint16_t> row(parameters.size());
  std::mt19937_64 random(sampling_seed);
  const std::uint64_t all = combinations(check, parameters);
  exact = all <= max_exact_combinations;
  const std::uint64_t looked_at = exact ? all : sampled_combinations;
  std::uint64_t removed = 0;
  for (std::uint64_t n = 0; n < looked_at; ++n) {
    if (!exact) {
      for (const std::size_t i : check.mentioned()) {
        row[i] = static_cast<std::uint16_t>(random() % parameters[i].values.size());
      }
    }
    removed += check.holds(row) ? 0 : 1;
    if (exact) advance(row, check, parameters);
  }
  return static_cast<double>(removed) / static_cast<double>(looked_at);
}

// "TILE=16, ROWS=32, device.warp_size=32": what the rule saw.
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
  for (const auto& rule : rules_) {
    RuleCheck check(rule.expression, parameters_, problem_, device_ ? &*device_ : nullptr);
    RuleEffect effect{rule.expression.text(), rule.implied, 0, true};
    effect.removed_alone = removed_fraction(check, parameters_, effect.exact);
    effects.push_back(std::move(effect));
  }
  return effects;
}

std::vector<std::string> SearchSpace::broken_rules(const Bindings& configuration) const {
  const Scope scope{&problem_, &configuration, device_ ? &*device_ : nullptr};
  std::vector<std::string> broken;
  for (const auto& rule : rules_) {
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
