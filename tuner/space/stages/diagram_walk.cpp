#include <limits>

#include "space/stages/diagram.hpp"

namespace attune::space {
namespace {

template <typename Count>
Count saturating_sum(Count a, Count b) {
  return a > std::numeric_limits<Count>::max() - b ? std::numeric_limits<Count>::max() : a + b;
}

}  // namespace

// Returns the rank that remains after the levels.
template <typename Count>
Count Diagram::walk(const std::vector<Count>& before, std::uint32_t first, std::uint32_t end, NodeOffset node,
                    Count rank, std::span<std::uint16_t> row) const {
  const Count* const counts = before.data();
  for (std::uint32_t i = first; i < end; ++i) {
    const DiagramLevel& level = levels_[i];
    // Finds the last digit with at most `rank` configurations before it, without a branch that the processor could
    // mispredict.
    const Count* arc = counts + node;
    for (std::size_t left = level.width; left > 1;) {
      const std::size_t half = left / 2;
      arc = arc[half] <= rank ? arc + half : arc;
      left -= half;
    }
    rank -= *arc;
    const auto at = static_cast<std::size_t>(arc - counts);
    row[level.parameter] = positions_[level.positions_begin + (at - node)];
    node = children_[at];
  }
  return rank;
}

void Diagram::at(SpaceSize index, std::span<std::uint16_t> row) const {
  for (const FixedParameter& fixed : fixed_) row[fixed.parameter] = fixed.position;
  if (before_.empty()) {
    walk(wide_before_, 0, static_cast<std::uint32_t>(levels_.size()), 0, index, row);
    return;
  }
  auto rank = static_cast<std::uint64_t>(index);
  for (const Segment& segment : segments_) {
    if (segment.table.empty()) {
      rank = walk(before_, segment.first, segment.end, segment.root, rank, row);
      continue;
    }
    const std::uint64_t number = segment.behind == 1 ? rank : rank / segment.behind;
    rank -= number * segment.behind;
    const std::size_t columns = segment.end - segment.first;
    const std::uint8_t* const from = segment.table.data() + number * columns;
    const DiagramLevel* const to = levels_.data() + segment.first;
    for (std::size_t k = 0; k < columns; ++k) row[to[k].parameter] = from[k];
  }
}

template <typename Count>
std::optional<Count> Diagram::rank_in(const std::vector<Count>& before, RowView row) const {
  for (const FixedParameter& fixed : fixed_) {
    if (row[fixed.parameter] != fixed.position) return std::nullopt;
  }
  NodeOffset node = 0;
  Count rank = 0;
  for (const DiagramLevel& level : levels_) {
    const std::uint16_t digit = digit_of(level, row[level.parameter]);
    if (digit == no_digit) return std::nullopt;
    const std::size_t arc = node + digit;
    node = children_[arc];
    if (node == no_node) return std::nullopt;
    rank = sizeof(Count) == sizeof(std::uint64_t) ? rank + before[arc] : saturating_sum(rank, before[arc]);
  }
  return rank;
}

std::optional<SpaceSize> Diagram::index_of(RowView row) const {
  if (size_ == 0) return std::nullopt;
  if (before_.empty() && !levels_.empty()) {
    const auto rank = rank_in(wide_before_, row);
    return rank && *rank < size_ ? rank : std::nullopt;
  }
  const auto rank = rank_in(before_, row);
  return rank ? std::optional<SpaceSize>(*rank) : std::nullopt;
}

bool Diagram::contains(RowView row) const {
  if (size_ == 0) return false;
  for (const FixedParameter& fixed : fixed_) {
    if (row[fixed.parameter] != fixed.position) return false;
  }
  NodeOffset node = 0;
  for (const DiagramLevel& level : levels_) {
    const std::uint16_t digit = digit_of(level, row[level.parameter]);
    if (digit == no_digit) return false;
    node = children_[node + digit];
    if (node == no_node) return false;
  }
  return true;
}

void Diagram::sample(std::mt19937_64& random, std::span<std::uint16_t> row) const {
  if (!saturated_) return at(uniform_below(size_, random), row);
  // There are more configurations than 128 bits can count. So each step is drawn by its share of the weight below it,
  // in doubles.
  for (const FixedParameter& fixed : fixed_) row[fixed.parameter] = fixed.position;
  NodeOffset node = 0;
  for (const DiagramLevel& level : levels_) {
    const double* const masses = masses_.data() + node;
    double total = 0;
    for (std::size_t digit = 0; digit < level.width; ++digit) total += masses[digit];
    double drawn = static_cast<double>(random() >> 11) * 0x1p-53 * total;
    std::size_t chosen = 0;
    for (std::size_t digit = 0; digit < level.width; ++digit) {
      if (children_[node + digit] == no_node) continue;
      chosen = digit;
      if (drawn < masses[digit]) break;
      drawn -= masses[digit];
    }
    row[level.parameter] = position_of(level, chosen);
    node = child(node, chosen);
  }
}

}  // namespace attune::space
