#include <algorithm>

#include "attune/space_audit.hpp"
#include "space/rule_effect.hpp"

namespace attune {
namespace {

std::vector<std::size_t> all_but(std::size_t rule, std::size_t count) {
  std::vector<std::size_t> others;
  for (std::size_t i = 0; i < count; ++i) {
    if (i != rule) others.push_back(i);
  }
  return others;
}

bool removes_nothing(const Removed& removed) { return removed.certainty == Certainty::exact && removed.fraction == 0; }

// The limit on the work of an audit, as the sum of the rules of all constructions: some seconds. Figures beyond it are
// unknown. A construction costs as much as `overhead` rules even if it has none.
constexpr std::size_t most_work = 400'000, overhead = 20;

Need need_of(const RuleAudit& rule, bool others_empty) {
  if (removes_nothing(rule.alone)) return Need::always_holds;
  if (others_empty) return Need::open;
  if (removes_nothing(rule.last)) return Need::follows;
  // One configuration that only this rule removes is proof enough, even if it comes from a sample.
  return rule.last.fraction > 0 ? Need::needed : Need::open;
}

// Finds a rule that alone implies the rule `which`: both together leave what the found rule leaves by itself. A rule
// that leaves more than `which` cannot imply it.
void find_source(RuleAudit& rule, std::size_t which, const SearchSpace& space, const std::vector<RuleAudit>& rules,
                 std::size_t& work) {
  if (!rule.alone.count) return;
  for (std::size_t other = 0; other < rules.size() && work <= most_work; ++other) {
    const auto& removed = rules[other].alone.count;
    if (other == which || !removed || *removed < *rule.alone.count) continue;
    work += overhead;
    const SearchSpace both = space.with_rules({std::min(which, other), std::max(which, other)});
    if (!both.exact() || both.size() != space.cartesian_size() - *removed) continue;
    rule.follows_from = other;
    rule.same = *removed == *rule.alone.count;
    return;
  }
}

std::vector<RuleAudit> audit_rules(const SearchSpace& space) {
  std::vector<RuleAudit> rules;
  std::size_t work = 0;
  for (std::size_t i = 0; i < space.rules().size(); ++i) {
    RuleAudit rule;
    rule.text = space.rules()[i].expression.text();
    rule.implied = space.rules()[i].implied;
    rule.alone = removed_alone(space, i);
    rule.last = {Certainty::unknown, std::nullopt, 0};
    work += space.rules().size() + overhead;
    if (work <= most_work) {
      const SearchSpace others = space.with_rules(all_but(i, space.rules().size()));
      rule.last = removed_last(space, others, i);
      rule.need = need_of(rule, others.empty());
    } else {
      rule.need = removes_nothing(rule.alone) ? Need::always_holds : Need::open;
    }
    rules.push_back(std::move(rule));
  }
  for (std::size_t i = 0; i < rules.size() && work <= most_work; ++i) {
    if (rules[i].need == Need::follows) find_source(rules[i], i, space, rules, work);
  }
  return rules;
}

bool is_mentioned(const std::string& name, const std::vector<Rule>& rules) {
  return std::ranges::any_of(rules, [&](const Rule& rule) {
    return std::ranges::find(rule.expression.names(), name) != rule.expression.names().end();
  });
}

std::vector<ParameterAudit> audit_parameters(const SearchSpace& space) {
  std::vector<ParameterAudit> parameters;
  for (std::size_t i = 0; i < space.parameters().size(); ++i) {
    const Parameter& parameter = space.parameters()[i];
    ParameterAudit found;
    found.name = parameter.name;
    found.mentioned = is_mentioned(parameter.name, space.rules());
    const auto& left = space.values_left(i);
    if (left.size() == 1) found.only = parameter.values[left.front()];
    for (std::size_t value = 0; value < parameter.values.size() && !space.empty(); ++value) {
      if (!std::ranges::binary_search(left, value)) found.never.push_back(parameter.values[value]);
    }
    parameters.push_back(std::move(found));
  }
  return parameters;
}

}  // namespace

SpaceAudit audit(const SearchSpace& space) {
  SpaceAudit audit;
  audit.cartesian = space.cartesian_size();
  audit.legal = space.size();
  audit.legal_saturated = space.size_saturated();
  audit.left_out = space.left_out();
  audit.rules = audit_rules(space);
  audit.parameters = audit_parameters(space);
  audit.core = empty_core(space);
  return audit;
}

}  // namespace attune
