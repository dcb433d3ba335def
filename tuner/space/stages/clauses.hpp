// Clauses: the parts of rules that must all hold. `a && b` has two clauses, and so has `!(a || b)`. A clause may
// mention fewer parameters than its rule, so that it can be checked earlier and connects fewer parameters.
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

// Returns the clauses in the order of the text. Their conjunction equals the rules' conjunction. An undefined rule does
// not hold, and an undefined clause does not hold either.
std::vector<Clause> clauses_of(const RuleScope& scope);

}  // namespace attune::space
