// Table: for clauses over few combinations, whether each combination is allowed. A plain value.
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

// Clauses over more combinations than this are not tabulated but built step by step.
constexpr std::size_t max_table = std::size_t{1} << 15;

// Combinations of the variables, saturating.
std::size_t combinations(const RuleScope& scope, const std::vector<int>& variables);

// Which combinations of its variables' values a clause allows.
Table tabulate(const Clause& clause, const RuleScope& scope, NameNumbers& numbers);
// `table` allows only what `part` allows too, whose variables are some of its own.
void intersect(Table& table, const Table& part);
// Values of variable number `at` of the table that occur in an allowed combination.
std::vector<bool> supported(const Table& table, std::size_t at);
// Keeps the values of variable number `at` that `kept` names.
void restrict_values(Table& table, std::size_t at, const std::vector<bool>& kept);
// `order` says at which level of the component each variable of the table is bound.
Automaton automaton_of(const Table& table, const std::vector<std::uint32_t>& level_of);

}  // namespace attune::space
