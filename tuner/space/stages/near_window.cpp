// Rows whose values are all equal or adjacent to those of a given row. Counts the part of the diagram within these
// values.
#include <algorithm>
#include <limits>
#include <unordered_map>

#include "space/stages/near.hpp"

namespace attune::space {
namespace {

class NarrowDiagram {
 public:
  NarrowDiagram(const Diagram& diagram, RowView row) : diagram_(diagram) {
    for (const DiagramLevel& level : diagram.levels())
      windows_.push_back(window_around(diagram, level, row[level.parameter]));
    size_ = count(0, 0);
  }

  SpaceSize size() const { return size_; }

  // Draws uniformly, the row itself included. It works also for more than 2^128 rows.
  void draw(std::mt19937_64& random, std::span<std::uint16_t> row) const {
    if (size_ < std::numeric_limits<SpaceSize>::max()) return write(uniform_below(size_, random), row);
    for (const FixedParameter& fixed : diagram_.fixed()) row[fixed.parameter] = fixed.position;
    NodeOffset node = 0;
    for (std::size_t i = 0; i < windows_.size(); ++i) {
      // Parameters without rules form a chain in which one node follows every value. Shares of 64 bits are precise
      // enough.
      long double drawn = static_cast<long double>(random() >> 11) * 0x1p-53L * mass_below(i, node);
      NodeOffset next = no_node;
      for (std::uint32_t digit = windows_[i].first; digit < windows_[i].end; ++digit) {
        const NodeOffset child = diagram_.child(node, digit);
        if (child == no_node || mass_below(i + 1, child) == 0) continue;
        next = child;
        row[diagram_.levels()[i].parameter] = diagram_.position_of(diagram_.levels()[i], digit);
        if (drawn < mass_below(i + 1, child)) break;
        drawn -= mass_below(i + 1, child);
      }
      node = next;
    }
  }

  void write(SpaceSize rank, std::span<std::uint16_t> row) const {
    for (const FixedParameter& fixed : diagram_.fixed()) row[fixed.parameter] = fixed.position;
    NodeOffset node = 0;
    for (std::size_t i = 0; i < windows_.size(); ++i) {
      for (std::uint32_t digit = windows_[i].first; digit < windows_[i].end; ++digit) {
        const NodeOffset child = diagram_.child(node, digit);
        const SpaceSize here = child == no_node ? 0 : rows_below(i + 1, child);
        if (rank >= here) {
          rank -= here;
          continue;
        }
        row[diagram_.levels()[i].parameter] = diagram_.position_of(diagram_.levels()[i], digit);
        node = child;
        break;
      }
    }
  }

 private:
  SpaceSize rows_below(std::size_t level, NodeOffset node) const {
    return level == windows_.size() ? SpaceSize{1} : rows_below_.at(node);
  }

  long double mass_below(std::size_t level, NodeOffset node) const {
    return level == windows_.size() ? 1 : masses_.at(node);
  }

  SpaceSize count(std::size_t level, NodeOffset node) {
    if (level == windows_.size()) return 1;
    const auto known = rows_below_.find(node);
    if (known != rows_below_.end()) return known->second;
    constexpr SpaceSize most = std::numeric_limits<SpaceSize>::max();
    SpaceSize sum = 0;
    long double mass = 0;
    for (std::uint32_t digit = windows_[level].first; digit < windows_[level].end; ++digit) {
      const NodeOffset child = diagram_.child(node, digit);
      const SpaceSize more = child == no_node ? 0 : count(level + 1, child);
      sum = sum > most - more ? most : sum + more;
      if (child != no_node) mass += mass_below(level + 1, child);
    }
    masses_[node] = mass;
    return rows_below_[node] = sum;
  }

  const Diagram& diagram_;
  std::vector<Window> windows_;                           // by level
  std::unordered_map<NodeOffset, SpaceSize> rows_below_;  // of the nodes that were met
  std::unordered_map<NodeOffset, long double> masses_;    // the same for counts up to 10^4900
  SpaceSize size_ = 0;
};

bool same(const Row& a, RowView b) { return std::equal(a.begin(), a.end(), b.begin()); }

}  // namespace

void visit_adjacent_rows(const Diagram& diagram, RowView row, const std::function<bool(RowView)>& visit) {
  const NarrowDiagram narrow(diagram, row);
  Row near(row.size());
  for (SpaceSize rank = 0; rank < narrow.size(); ++rank) {
    narrow.write(rank, near);
    if (!same(near, row) && !visit(near)) return;
  }
}

bool draw_adjacent_row(const Diagram& diagram, RowView row, std::mt19937_64& random, std::span<std::uint16_t> to) {
  const NarrowDiagram narrow(diagram, row);
  Row near(row.size());
  if (narrow.size() == 0) return false;
  narrow.write(0, near);
  if (narrow.size() == 1 && same(near, row)) return false;
  do {
    narrow.draw(random, near);
  } while (same(near, row));
  std::copy(near.begin(), near.end(), to.begin());
  return true;
}

}  // namespace attune::space
