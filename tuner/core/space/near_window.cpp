// Rows of which every value is the row's own or adjacent to it: the part of the diagrams between these values, counted.
#include <algorithm>
#include <limits>
#include <map>

#include "core/space/near.hpp"

namespace attune::space {
namespace {

constexpr SpaceSize most = std::numeric_limits<SpaceSize>::max();

SpaceSize saturating_sum(SpaceSize a, SpaceSize b) { return a > most - b ? most : a + b; }
SpaceSize saturating_product(SpaceSize a, SpaceSize b) { return b != 0 && a > most / b ? most : a * b; }

// The part of one component, with the number of rows below each of its nodes.
class Part {
 public:
  Part(const Component& component, RowView row) : component_(component), rows_below_(component.levels().size() + 1) {
    for (const ComponentLevel& level : component.levels())
      windows_.push_back(window_around(level, row[level.parameter]));
    size_ = count(0, 0);
  }

  SpaceSize size() const { return size_; }

  void write(SpaceSize rank, std::span<std::uint16_t> row) const {
    NodeOffset node = 0;
    for (std::size_t i = 0; i < windows_.size(); ++i) {
      for (std::uint32_t digit = windows_[i].first; digit < windows_[i].end; ++digit) {
        const NodeOffset child = component_.child(node, digit);
        const SpaceSize here = child == no_node ? 0 : rows_below_[i + 1].at(child);
        if (rank >= here) {
          rank -= here;
          continue;
        }
        row[component_.levels()[i].parameter] = component_.levels()[i].positions[digit];
        node = child;
        break;
      }
    }
  }

 private:
  SpaceSize count(std::size_t level, NodeOffset node) {
    if (level == windows_.size()) return rows_below_[level][node] = 1;
    const auto known = rows_below_[level].find(node);
    if (known != rows_below_[level].end()) return known->second;
    SpaceSize sum = 0;
    for (std::uint32_t digit = windows_[level].first; digit < windows_[level].end; ++digit) {
      const NodeOffset child = component_.child(node, digit);
      if (child != no_node) sum = saturating_sum(sum, count(level + 1, child));
    }
    return rows_below_[level][node] = sum;
  }

  const Component& component_;
  std::vector<Window> windows_;                              // by level
  std::vector<std::map<NodeOffset, SpaceSize>> rows_below_;  // by level: of the nodes that were met
  SpaceSize size_ = 0;
};

class Parts {
 public:
  Parts(const Constructed& constructed, RowView row) : fixed_(constructed.fixed) {
    for (const Component& component : constructed.components) {
      parts_.emplace_back(component, row);
      size_ = saturating_product(size_, parts_.back().size());
    }
  }

  SpaceSize size() const { return size_; }

  void write(SpaceSize rank, std::span<std::uint16_t> row) const {
    for (const Fixed& fixed : fixed_) row[fixed.parameter] = fixed.position;
    for (std::size_t i = parts_.size(); i-- > 0;) {
      parts_[i].write(rank % parts_[i].size(), row);
      rank /= parts_[i].size();
    }
  }

 private:
  const std::vector<Fixed>& fixed_;
  std::vector<Part> parts_;
  SpaceSize size_ = 1;
};

}  // namespace

void visit_adjacent_rows(const Constructed& constructed, RowView row, const std::function<bool(RowView)>& visit) {
  const Parts parts(constructed, row);
  Row near(row.size());
  for (SpaceSize rank = 0; rank < parts.size(); ++rank) {
    parts.write(rank, near);
    if (!std::equal(near.begin(), near.end(), row.begin()) && !visit(near)) return;
  }
}

bool draw_adjacent_row(const Constructed& constructed, RowView row, std::mt19937_64& random,
                       std::span<std::uint16_t> to) {
  const Parts parts(constructed, row);
  Row near(row.size());
  const auto is_row = [&] { return std::equal(near.begin(), near.end(), row.begin()); };
  if (parts.size() == 0) return false;
  parts.write(0, near);
  if (parts.size() == 1 && is_row()) return false;
  do {
    parts.write(uniform_below(parts.size(), random), near);
  } while (is_row());
  std::copy(near.begin(), near.end(), to.begin());
  return true;
}

}  // namespace attune::space
