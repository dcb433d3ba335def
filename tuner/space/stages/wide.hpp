// Wide clauses: those over too many combinations for a table. Their automaton is built level by level: a state is what
// has been computed so far of the parts that are not yet known. Equal states are one; those that the ranges of the
// unbound variables decide end early; and where all that is left depends on one number monotonically (a product so far,
// compared with a limit later), numbers between the same two thresholds are one state.
#pragma once

#include "space/stages/automaton.hpp"
#include "space/stages/clauses.hpp"
#include "space/stages/meter.hpp"
#include "space/stages/term.hpp"

namespace attune::space {

// The automaton of all `clauses` and `guards` together. `levels`: the component's levels of the variables of the
// clauses, ascending; `variables`: the same as numbers. The guards' levels are some of these. Throws OverBudget.
Automaton build_wide(const std::vector<const Clause*>& clauses, const std::vector<Automaton>& guards,
                     const std::vector<std::uint32_t>& levels, const std::vector<int>& variables,
                     const RuleScope& scope, NameNumbers& numbers, Meter& meter);

}  // namespace attune::space
