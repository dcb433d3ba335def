// Wide clauses: clauses over too many combinations for a table. Their automaton is built level by level. A state has
// the values, computed so far, that the open clauses still need; equal states are merged. A state ends early if the
// ranges of the unbound variables decide the clauses. Thresholds merge further states, for example those of a product
// that is later compared with a limit.
#pragma once

#include "space/stages/automaton.hpp"
#include "space/stages/budget_use.hpp"
#include "space/stages/clauses.hpp"
#include "space/stages/term.hpp"

namespace attune::space {

// Returns the automaton of all `clauses` and `guards` together. `levels` has the component's levels of the clauses'
// variables, ascending, and `variables` the numbers of these variables. Each level of a guard must be one of `levels`.
// Throws OverBudget.
Automaton build_wide(const std::vector<const Clause*>& clauses, const std::vector<Automaton>& guards,
                     const std::vector<std::uint32_t>& levels, const std::vector<int>& variables,
                     const RuleScope& scope, NameNumbers& numbers, BudgetUse& use);

}  // namespace attune::space
