#include "core/space/clauses.hpp"

#include "core/space/term_builder.hpp"

namespace attune::space {
namespace {

class Splitter {
 public:
  Splitter(const RuleScope& scope, std::vector<Clause>& clauses) : scope_(scope), clauses_(clauses) {}

  void split_rule(std::uint32_t rule) {
    rule_ = rule;
    parsed_ = &parsed_of((*scope_.rules)[rule].expression);
    split(static_cast<std::uint32_t>(parsed_->nodes.size() - 1), false);
  }

 private:
  void split(std::uint32_t index, bool negated) {
    const Expression::Node& node = parsed_->nodes[index];
    if (node.operation == Operation::logical_not) return split(node.operands[0], !negated);
    if (node.operation == (negated ? Operation::logical_or : Operation::logical_and)) {
      split(node.operands[0], negated);
      split(node.operands[1], negated);
      return;
    }
    clauses_.push_back({rule_, index, negated, variables_of(scope_, rule_, index)});
  }

  const RuleScope& scope_;
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
