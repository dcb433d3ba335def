// Wide clauses: clauses over too many combinations for a table. Their automaton is built level by level. A state has
// the values computed so far of all open parts. Equal states are one. States that the ranges of the unbound variables
// decide end early. Thresholds join states further: for example a product so far that is compared with a limit later.
#pragma once

#include "space/stages/automaton.hpp"
#include "space/stages/budget_use.hpp"
#include "space/stages/clauses.hpp"
#include "space/stages/term.hpp"

namespace attune::space {

// Returns the automaton of all `clauses` and `guards` together. `levels`: the component's levels of the clauses'
// variables, ascending. `variables`: the same variables as numbers. The guards' levels are some of these. Throws
// OverBudget.
Automaton build_wide(const std::vector<const Clause*>& clauses, const std::vector<Automaton>& guards,
                     const std::vector<std::uint32_t>& levels, const std::vector<int>& variables,
                     const RuleScope& scope, NameNumbers& numbers, BudgetUse& use);

}  // namespace attune::space
