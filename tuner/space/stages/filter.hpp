// Filter: makes tables of clauses over few combinations. It keeps the values that every table allows in some
// combination. This makes the diagrams small; without it, spaces of 10^30 combinations never end.
#pragma once

#include "space/stages/table.hpp"

namespace attune::space {

struct Filtered {
  bool empty = false;
  std::vector<Table> tables;                            // that forbid something; variables of one value are not in them
  std::vector<std::vector<std::size_t>> table_clauses;  // by table: positions of the clauses that it is made of
  std::vector<std::size_t> wide;  // positions of the clauses too large for a table: of two open variables or more
};

// Narrows the variables of `scope`. `clauses` that are left out are skipped.
Filtered filter(RuleScope& scope, NameNumbers& numbers, const std::vector<Clause>& clauses,
                const std::vector<bool>& left_out);

}  // namespace attune::space
