// The covers of a generated header as C++: nested ifs that give positions of configurations.
#pragma once

#include <string>
#include <vector>

#include "core/cover.hpp"
#include "exports/expression_code.hpp"
#include "exports/tables.hpp"

namespace attune {

// Returns whether a header can have this cover: its texts are expressions, and what its tree answers are constants.
bool is_exportable(const Cover& cover);

// Returns the table of covers, and the functions cover_answer() and is_measured(). The functions of expressions that
// they call are in `expressions`.
std::string covers_code(const ExportTables& tables, ExpressionCode& expressions);

}  // namespace attune
