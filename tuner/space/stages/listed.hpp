// Makes a counted diagram from a list of configurations. One thread.
#pragma once

#include "space/stages/construction.hpp"

namespace attune::space {

// Each row must have one position per parameter, and no row may occur twice. Throws UsageError for rows that would take
// more than 1 GiB.
ConstructedSpace construct_listed(const std::vector<Parameter>& parameters, const std::vector<Row>& rows);

}  // namespace attune::space
