#include "space/stages/listing.hpp"

#include <algorithm>

namespace attune::space {
namespace {

template <typename Visit>
class Listing {
 public:
  Listing(const Diagram& diagram, std::size_t columns, Visit& visit) : diagram_(diagram), row_(columns), visit_(visit) {
    for (const FixedParameter& fixed : diagram.fixed()) row_[fixed.parameter] = fixed.position;
  }

  void run() {
    if (diagram_.levels().empty()) {
      visit_(row_);
    } else {
      walk(0, 0);
    }
  }

 private:
  bool walk(std::size_t level, NodeOffset node) {
    const DiagramLevel& here = diagram_.levels()[level];
    const auto positions = diagram_.positions(here);
    const bool is_last = level + 1 == diagram_.levels().size();
    for (std::size_t digit = 0; digit < positions.size(); ++digit) {
      const NodeOffset child = diagram_.child(node, digit);
      if (child == no_node) continue;
      row_[here.parameter] = positions[digit];
      if (!(is_last ? visit_(row_) : walk(level + 1, child))) return false;
    }
    return true;
  }

  const Diagram& diagram_;
  Row row_;
  Visit& visit_;
};

}  // namespace

void visit_rows(const Diagram& diagram, std::size_t columns, const std::function<bool(RowView)>& visit) {
  auto call = [&](const Row& row) { return visit(row); };
  Listing(diagram, columns, call).run();
}

void list_rows(const Diagram& diagram, std::size_t columns, std::uint16_t* to) {
  auto write = [&](const Row& row) {
    std::copy_n(row.data(), columns, to);
    to += columns;
    return true;
  };
  Listing(diagram, columns, write).run();
}

}  // namespace attune::space
