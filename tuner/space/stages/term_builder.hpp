// TermBuilder: makes the term of a part of a rule. The term is 1 where the part holds, and 0 where it does not hold or
// is undefined.
#pragma once

#include "expression/node.hpp"
#include "space/stages/term.hpp"
#include "space/stages/variables.hpp"

namespace attune::space {

class TermBuilder {
 public:
  // All references must outlive the builder. Columns are made for the variables' present values.
  TermBuilder(TermGraph& graph, NameNumbers& numbers, const RuleScope& scope)
      : graph_(graph), numbers_(numbers), scope_(scope) {}

  // Returns the term for `node` of the rule, or for its negation.
  TermId truth(std::uint32_t rule, std::uint32_t node, bool negated);
  // Returns the positions 0, 1, ... of a variable's values.
  TermId positions(int variable);

 private:
  // A value and its validity; `valid` is no_term where the value always exists.
  struct CheckedTerm {
    TermId value = no_term;
    TermId valid = no_term;
  };
  using Node = Expression::Node;

  CheckedTerm build(std::uint32_t index);
  CheckedTerm built(std::uint32_t index);
  CheckedTerm lazy(std::uint32_t index);
  CheckedTerm logical(const Node& node, bool is_or);
  CheckedTerm conditional(const Node& node);
  CheckedTerm membership(const Node& node, bool negated, bool python);
  CheckedTerm reference(const Node& node);
  CheckedTerm strict(const Node& node, std::uint32_t index);
  CheckedTerm apply_to_one(NodeKind operation, const CheckedTerm& a);
  CheckedTerm apply_to_two(NodeKind operation, const CheckedTerm& a, const CheckedTerm& b);
  CheckedTerm arithmetic(TermOp whole, TermOp real, const CheckedTerm& a, const CheckedTerm& b);
  CheckedTerm divided(TermOp whole, TermOp real, const CheckedTerm& a, const CheckedTerm& b);
  CheckedTerm bits(TermOp op, const CheckedTerm& a, const CheckedTerm& b);
  CheckedTerm extreme(TermOp whole, TermOp real, const CheckedTerm& a, const CheckedTerm& b, bool python);
  CheckedTerm power(const CheckedTerm& a, const CheckedTerm& b);
  CheckedTerm equality(bool unequal, const CheckedTerm& a, const CheckedTerm& b, bool python);
  CheckedTerm ordering(bool or_equal, const CheckedTerm& a, const CheckedTerm& b, bool python);
  CheckedTerm truth_of(const CheckedTerm& a);
  CheckedTerm negated(const CheckedTerm& a);
  CheckedTerm nowhere();  // a result that is undefined for all combinations
  CheckedTerm fail();     // leaves this part of the rule to the expression evaluator

  // Evaluates a node that depends on at most one variable, by the expression evaluator.
  CheckedTerm evaluated(std::uint32_t index, int variable);
  TermId opaque(std::uint32_t node, bool negate);

  TermId both(TermId a, TermId b);  // of validities
  TermId as_real(const CheckedTerm& a);
  bool is_whole(const CheckedTerm& a) const { return graph_[a.value].kind == TermKind::whole; }
  bool is_name(const CheckedTerm& a) const { return graph_[a.value].kind == TermKind::name; }
  int variable_below(std::uint32_t index) const;  // the only one, or no_variable, or many_variables

  TermGraph& graph_;
  NameNumbers& numbers_;
  const RuleScope& scope_;
  const ParsedExpression* parsed_ = nullptr;
  std::uint32_t rule_ = 0;
  bool failed_ = false;
  std::vector<CheckedTerm> known_;  // by node of the rule
  std::vector<int> below_;          // by node: variable_below
};

// Returns the variables that a part of a rule mentions, ascending.
std::vector<int> variables_of(const RuleScope& scope, std::uint32_t rule, std::uint32_t node);

}  // namespace attune::space
