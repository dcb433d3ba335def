// All configurations of a space, in index order.
#pragma once

#include <functional>

#include "core/space/component.hpp"

namespace attune::space {

// Calls `visit` with each row; `row` holds the fixed parameters. Stops when it returns false.
void visit_rows(const std::vector<Component>& components, Row& row, const std::function<bool(RowView)>& visit);
// Writes each row to `to` and behind it.
void list_rows(const std::vector<Component>& components, Row& row, std::uint16_t* to);

}  // namespace attune::space
