// All configurations of a space, in index order.
#pragma once

#include <functional>

#include "space/stages/diagram.hpp"

namespace attune::space {

// Calls `visit` with each row. Stops when it returns false.
void visit_rows(const Diagram& diagram, std::size_t columns, const std::function<bool(RowView)>& visit);
// Writes the rows to `to`, one after another.
void list_rows(const Diagram& diagram, std::size_t columns, std::uint16_t* to);

}  // namespace attune::space
