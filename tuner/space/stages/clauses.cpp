#include "space/stages/clauses.hpp"

#include <algorithm>

namespace attune::space {
namespace {

class Splitter {
 public:
  Splitter(const RuleScope& scope, std::vector<Clause>& clauses) : scope_(scope), clauses_(clauses) {}

  void split_rule(std::uint32_t rule) {
    rule_ = rule;
    parsed_ = &parsed_of((*scope_.rules)[rule].expression);
    reached_.clear();
    split(static_cast<std::uint32_t>(parsed_->nodes.size() - 1), false);
  }

 private:
  void split(std::uint32_t index, bool negated) {
    const Expression::Node& node = parsed_->nodes[index];
    if (node.operation == NodeKind::logical_not) return split(node.operands[0], !negated);
    if (node.operation == (negated ? NodeKind::logical_or : NodeKind::logical_and)) {
      split(node.operands[0], negated);
      split(node.operands[1], negated);
      return;
    }
    clauses_.push_back({rule_, index, negated, variables_below(index)});
  }

  // Does what variables_of() does, but visits only the nodes of the part, so that a rule of thousands of parts is read
  // once.
  std::vector<int> variables_below(std::uint32_t index) {
    std::vector<int> variables;
    std::vector<std::uint32_t> open = {index};
    reached_.resize(parsed_->nodes.size());
    const auto meet = [&](std::uint32_t node) {
      if (node == Expression::Node::none || reached_[node] == index + 1) return;
      reached_[node] = index + 1;
      open.push_back(node);
    };
    while (!open.empty()) {
      const auto& node = parsed_->nodes[open.back()];
      open.pop_back();
      for (const std::uint32_t operand : node.operands) meet(operand);
      for (const std::uint32_t element : node.list) meet(element);
      const int variable = node.operation == NodeKind::name ? scope_.names[rule_][node.index].variable : no_variable;
      if (variable != no_variable) variables.push_back(variable);
    }
    std::sort(variables.begin(), variables.end());
    variables.erase(std::unique(variables.begin(), variables.end()), variables.end());
    return variables;
  }

  const RuleScope& scope_;
  std::vector<std::uint32_t> reached_;  // by node of the rule: one more than the last part that met it
  std::vector<Clause>& clauses_;
  const ParsedExpression* parsed_ = nullptr;
  std::uint32_t rule_ = 0;
};

}  // namespace

std::vector<Clause> clauses_of(const RuleScope& scope) {
  std::vector<Clause> clauses;
  Splitter splitter(scope, clauses);
  for (std::uint32_t rule = 0; rule < scope.rules->size(); ++rule) splitter.split_rule(rule);
  return clauses;
}

}  // namespace attune::space
