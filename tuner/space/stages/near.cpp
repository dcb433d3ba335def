// Rows that differ in one parameter, and the nearest row to some wishes. Rows of adjacent values: near_window.cpp.
#include "space/stages/near.hpp"

#include <algorithm>
#include <limits>

namespace attune::space {
namespace {

constexpr std::uint64_t one_parameter = std::uint64_t{1} << 32;  // more than any sum of steps

std::uint64_t distance_of(std::uint16_t position, const Wish& wish) {
  if (!wish.given || wish.position == position) return 0;
  if (!wish.position) return one_parameter;
  return one_parameter + static_cast<std::uint64_t>(std::abs(int{*wish.position} - int{position}));
}

}  // namespace

Window window_around(const Diagram& diagram, const DiagramLevel& level, std::uint16_t position) {
  const auto positions = diagram.positions(level);
  const auto above = std::lower_bound(positions.begin(), positions.end(), position);
  const auto at = static_cast<std::uint32_t>(above - positions.begin());
  const std::uint32_t end = diagram.digit_of(level, position) == no_digit ? at + 1 : at + 2;
  return {at == 0 ? 0 : at - 1, std::min(end, level.width)};
}

Surroundings::Surroundings(const Diagram& diagram, RowView row) : diagram_(diagram), row_(row) {
  // Two illegal parts make the row hopeless, because one change cannot mend both.
  std::size_t off = 0;
  for (const FixedParameter& fixed : diagram.fixed()) {
    if (row[fixed.parameter] == fixed.position) continue;
    off_fixed_ = &fixed;
    state_ = RowFit::one_fixed_off;
    ++off;
  }
  if (diagram.levels().size() > few_levels) many_.resize(diagram.levels().size());
  steps_ = many_.empty() ? few_.data() : many_.data();
  const auto parts = follow_all() ? 0 : static_cast<std::uint32_t>(diagram.parts().size());
  for (std::uint32_t i = 0; i < parts; ++i) {
    if (follow(diagram.parts()[i])) continue;
    off_part_ = i;
    state_ = RowFit::one_part_off;
    ++off;
  }
  if (off > 1) state_ = RowFit::hopeless;
}

// Follows the row through all parts; returns whether it is legal.
bool Surroundings::follow_all() {
  NodeOffset now = 0;
  PathNode* step = steps_;
  for (const DiagramLevel& level : diagram_.levels()) {
    const std::uint16_t digit = diagram_.digit_of(level, row_[level.parameter]);
    *step++ = {now, digit};
    if (digit == no_digit) return false;
    now = diagram_.child(now, digit);
    if (now == no_node) return false;
  }
  return true;
}

bool Surroundings::follow(const DiagramPart& part) {
  NodeOffset now = part.root;
  for (std::uint32_t i = part.first; i < part.end; ++i) {
    const DiagramLevel& level = diagram_.levels()[i];
    const std::uint16_t digit = diagram_.digit_of(level, row_[level.parameter]);
    steps_[i] = {now, digit};
    if (now != no_node) now = digit == no_digit ? no_node : diagram_.child(now, digit);
  }
  return now != no_node;
}

// Returns whether the rest of the row, from `level` to the end of the part, is allowed below this node.
bool Surroundings::legal(std::size_t level, std::size_t end, NodeOffset child) const {
  if (child == no_node) return false;
  const PathNode* step = steps_ + level;
  const PathNode* const last = steps_ + end;
  if (state_ == RowFit::legal) {
    // As soon as this way meets the given row's own way, the rest is legal, because the given row is.
    for (; step != last && child != step->node; ++step) {
      child = diagram_.child(child, step->digit);
      if (child == no_node) return false;
    }
    return true;
  }
  for (; step != last; ++step) {
    if (step->digit == no_digit) return false;
    child = diagram_.child(child, step->digit);
    if (child == no_node) return false;
  }
  return true;
}

void Surroundings::visit(Neighbourhood kind, const std::function<bool(RowView)>& visit) const {
  if (state_ == RowFit::hopeless) return;
  Row near(row_.begin(), row_.end());
  if (state_ == RowFit::one_fixed_off) {
    near[off_fixed_->parameter] = off_fixed_->position;
    visit(near);
    return;
  }
  for (const std::uint32_t i : diagram_.by_parameter()) {
    const DiagramLevel& level = diagram_.levels()[i];
    const PathNode here = steps_[i];
    if (here.node == no_node || (state_ == RowFit::one_part_off && level.part != off_part_)) continue;
    const std::uint16_t position = row_[level.parameter];
    const Window window =
        kind == Neighbourhood::any_value ? Window{0, level.width} : window_around(diagram_, level, position);
    const std::size_t end = diagram_.parts()[level.part].end;
    // Several values often lead to the same node and so have the same answer.
    NodeOffset asked = no_node;
    bool answer = false;
    for (std::uint32_t digit = window.first; digit < window.end; ++digit) {
      if (digit == here.digit) continue;
      const NodeOffset child = diagram_.child(here.node, digit);
      if (child != asked) answer = legal(i + 1, end, child);
      asked = child;
      if (!answer) continue;
      near[level.parameter] = diagram_.position_of(level, digit);
      if (!visit(near)) return;
    }
    near[level.parameter] = position;
  }
}

// Writes the row with the value of this slot. Returns false where it is not legal.
bool Surroundings::take(std::uint32_t slot, std::span<std::uint16_t> to) const {
  const DiagramLevel& level = diagram_.level_of_slot(slot);
  const auto number = static_cast<std::size_t>(&level - diagram_.levels().data());
  std::uint32_t digit = slot - level.slots_begin;
  if (digit >= steps_[number].digit) ++digit;
  const NodeOffset child = diagram_.child(steps_[number].node, digit);
  if (!legal(number + 1, diagram_.parts()[level.part].end, child)) return false;
  std::copy(row_.begin(), row_.end(), to.begin());
  to[level.parameter] = diagram_.position_of(level, digit);
  return true;
}

std::uint64_t distance(RowView row, const std::vector<Wish>& wishes) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < row.size(); ++i) sum += distance_of(row[i], wishes[i]);
  return sum;
}

// Computes the least distance below each node, from the last level to the root, then goes down along the least.
void nearest_row(const Diagram& diagram, const std::vector<Wish>& wishes, std::span<std::uint16_t> row) {
  constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
  const auto& levels = diagram.levels();
  std::vector<std::uint64_t> below(diagram.arcs());  // at a node's offset
  std::vector<std::vector<std::uint64_t>> own(levels.size());
  const auto through = [&](std::size_t level, NodeOffset node, std::size_t digit) {
    const NodeOffset child = diagram.child(node, digit);
    if (child == no_node) return never;
    return own[level][digit] + (level + 1 < levels.size() ? below[child] : 0);
  };
  for (std::size_t i = levels.size(); i-- > 0;) {
    for (const std::uint16_t position : diagram.positions(levels[i]))
      own[i].push_back(distance_of(position, wishes[levels[i].parameter]));
    const std::size_t end = i + 1 < levels.size() ? levels[i + 1].begin : diagram.arcs();
    for (NodeOffset node = levels[i].begin; node < end; node += levels[i].width) {
      below[node] = never;
      for (std::size_t digit = 0; digit < levels[i].width; ++digit)
        below[node] = std::min(below[node], through(i, node, digit));
    }
  }
  for (const FixedParameter& fixed : diagram.fixed()) row[fixed.parameter] = fixed.position;
  NodeOffset node = 0;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    std::size_t digit = 0;
    while (through(i, node, digit) != below[node]) ++digit;
    row[levels[i].parameter] = diagram.position_of(levels[i], digit);
    node = diagram.child(node, digit);
  }
}

}  // namespace attune::space
