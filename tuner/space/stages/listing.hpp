// Lists all configurations of a diagram, in index order. Pure; any thread.
#pragma once

#include <functional>

#include "space/stages/diagram.hpp"

namespace attune::space {

// Calls `visit` with each row until `visit` returns false. `columns` is the number of parameters.
void visit_rows(const Diagram& diagram, std::size_t columns, const std::function<bool(RowView)>& visit);
// Writes all rows to `to`, one after another: size() * `columns` entries.
void list_rows(const Diagram& diagram, std::size_t columns, std::uint16_t* to);

}  // namespace attune::space
