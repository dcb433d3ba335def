// Table: which combinations of values some clauses allow, one entry per combination. Made only where the combinations
// are few. A plain value.
#pragma once

#include "space/stages/automaton.hpp"
#include "space/stages/clauses.hpp"
#include "space/stages/term.hpp"

namespace attune::space {

struct Table {
  std::vector<int> variables;         // ascending
  std::vector<std::size_t> widths;    // by variable
  std::vector<std::uint8_t> allowed;  // the last variable varying fastest

  bool all() const;
};

// The automata of clauses over more combinations than this are built step by step, without a table.
constexpr std::size_t max_table = std::size_t{1} << 15;

// Returns the number of combinations of the variables' values, saturating.
std::size_t combinations(const RuleScope& scope, const std::vector<int>& variables);

// Returns which combinations of its variables' values a clause allows.
Table tabulate(const Clause& clause, const RuleScope& scope, NameNumbers& numbers);
// Removes from the table what `part` forbids. Each variable of `part` must be one of the table's.
void intersect(Table& table, const Table& part);
// Returns which values of the table's variable number `at` occur in an allowed combination.
std::vector<bool> supported(const Table& table, std::size_t at);
// Keeps the values of variable number `at` that `kept` marks.
void restrict_values(Table& table, std::size_t at, const std::vector<bool>& kept);
// Returns the automaton of a table. `level_of` has the component's level of each variable of the scope.
Automaton automaton_of(const Table& table, const std::vector<std::uint32_t>& level_of);

}  // namespace attune::space
