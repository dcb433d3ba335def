#include "core/space/listing.hpp"

#include <algorithm>

namespace attune::space {
namespace {

// Walks the levels of all components as if they were one diagram; the last component varies fastest.
template <typename Visit>
class Listing {
 public:
  Listing(const std::vector<Component>& components, Row& row, Visit& visit)
      : components_(components), row_(row), visit_(visit) {}

  bool walk(std::size_t component, std::size_t level, NodeOffset node) {
    if (component == components_.size()) return visit_(row_);
    const Component& here = components_[component];
    const ComponentLevel& at = here.levels()[level];
    const bool closes = level + 1 == here.levels().size();
    const bool is_last = closes && component + 1 == components_.size();
    for (std::size_t digit = 0; digit < at.width; ++digit) {
      const NodeOffset child = here.child(node, digit);
      if (child == no_node) continue;
      row_[at.parameter] = at.positions[digit];
      const bool goes_on = is_last  ? visit_(row_)
                           : closes ? walk(component + 1, 0, 0)
                                    : walk(component, level + 1, child);
      if (!goes_on) return false;
    }
    return true;
  }

 private:
  const std::vector<Component>& components_;
  Row& row_;
  Visit& visit_;
};

}  // namespace

void visit_rows(const std::vector<Component>& components, Row& row, const std::function<bool(RowView)>& visit) {
  auto call = [&](const Row& now) { return visit(now); };
  Listing(components, row, call).walk(0, 0, 0);
}

void list_rows(const std::vector<Component>& components, Row& row, std::uint16_t* to) {
  const std::size_t columns = row.size();
  const std::uint16_t* const from = row.data();
  auto write = [&](const Row&) {
    std::copy_n(from, columns, to);
    to += columns;
    return true;
  };
  Listing(components, row, write).walk(0, 0, 0);
}

}  // namespace attune::space
