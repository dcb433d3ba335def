// Makes a counted diagram from a list of configurations. One thread.
#pragma once

#include "space/stages/construction.hpp"

namespace attune::space {

// Every row has one entry per parameter, a position of its values; no row occurs twice. Throws UsageError for rows that
// would take more than 1 GiB.
Constructed construct_listed(const std::vector<Parameter>& parameters, const std::vector<Row>& rows);

}  // namespace attune::space
