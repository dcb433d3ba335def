// Filter: makes tables of the clauses over few combinations, and drops every value that some table allows in no
// combination. This keeps the diagrams small. Without it, the construction of spaces of 10^30 combinations never ends.
#pragma once

#include "space/stages/table.hpp"

namespace attune::space {

struct FilterResult {
  bool empty = false;
  std::vector<Table> tables;                            // that forbid something; without variables of one value
  std::vector<std::vector<std::size_t>> table_clauses;  // by table: positions of the clauses that the table is made of
  std::vector<std::size_t> wide;  // positions of the clauses too large for a table, each of two or more open variables
};

// Narrows the variables of `scope`. Skips each clause that `left_out` marks.
FilterResult filter(RuleScope& scope, NameNumbers& numbers, const std::vector<Clause>& clauses,
                    const std::vector<bool>& left_out);

}  // namespace attune::space
