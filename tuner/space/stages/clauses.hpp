// Clauses: the parts of rules that must all hold. `a && b` is two, `!(a || b)` too; each mentions fewer parameters than
// its rule, so that it can be checked earlier and ties fewer parameters together.
#pragma once

#include "expression/node.hpp"
#include "space/stages/variables.hpp"

namespace attune::space {

struct Clause {
  std::uint32_t rule = 0;
  std::uint32_t node = 0;  // of the rule's expression
  bool negated = false;
  std::vector<int> variables;  // that it mentions, ascending
};

// In the order in which they are written. Their conjunction is that of the rules: a rule that is undefined does not
// hold, and neither does the clause in which it is.
std::vector<Clause> clauses_of(const RuleScope& scope);

}  // namespace attune::space
