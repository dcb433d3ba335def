// The structures and tables of a generated header as C++.
#pragma once

#include <string>

#include "exports/expression_code.hpp"
#include "exports/tables.hpp"

namespace attune {

// Returns the table of element types that find_type() of the header reads.
std::string type_table_code();
// Returns the structures Problem and Configuration, and the function text_of() of each.
std::string structure_code(const KernelSpec& spec);
// Returns invalid(), is_same() and distance_of() of problems. `needs_known_distance`: whether there are records.
std::string problem_code(const HeaderTerms& terms);
// Returns the constexpr function legal(), and unsuitable().
std::string legality_code(const KernelSpec& spec, ExpressionCode& expressions);
// Returns the tables, with the provenance of each record as a comment.
std::string tables_code(const HeaderTerms& terms, const ExportTables& tables);

}  // namespace attune
