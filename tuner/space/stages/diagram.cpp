// Making a diagram; walking it: diagram_walk.cpp.
#include "space/stages/diagram.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace attune::space {
namespace {

// In bytes. Parts share a table while it fits the first-level cache. One part alone may have a larger table, because
// walking the part takes longer than a read from the second-level cache. Both limits also bound the time for writing
// tables.
constexpr std::size_t max_shared_table = 8 * 1024;
constexpr std::size_t max_table_of_part = 80 * 1024;
constexpr std::size_t max_tables = 96 * 1024;  // of a space

// Returns, by layer, the values with a child.
std::vector<std::vector<std::uint32_t>> occurring_values(const Layers& layers) {
  std::vector<std::vector<std::uint32_t>> occurring(layers.size());
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const Layer& layer = layers[i];
    std::vector<std::uint8_t> occurs(layer.width);
    for (std::size_t node = 0; node < layer.nodes(); ++node) {
      for (std::uint32_t value = 0; value < layer.width; ++value)
        occurs[value] |= layer.children[node * layer.width + value] != no_node ? 1 : 0;
    }
    for (std::uint32_t value = 0; value < layer.width; ++value) {
      if (occurs[value] != 0) occurring[i].push_back(value);
    }
  }
  return occurring;
}

}  // namespace

Diagram::Diagram(const std::vector<UncountedPart>& parts, std::vector<FixedParameter> fixed,
                 const std::vector<Parameter>& all)
    : fixed_(std::move(fixed)) {
  for (std::size_t i = 0; i < parts.size(); ++i) add_part(parts[i], i + 1 == parts.size(), all);
  by_parameter_.resize(levels_.size());
  std::iota(by_parameter_.begin(), by_parameter_.end(), 0u);
  std::sort(by_parameter_.begin(), by_parameter_.end(),
            [&](auto a, auto b) { return levels_[a].parameter < levels_[b].parameter; });
  add_slots();
  if (!count(before_)) {
    before_ = {};
    saturated_ = false;
    count(wide_before_);
    if (saturated_) weigh();
  }
  if (!before_.empty() || levels_.empty()) add_segments();
}

void Diagram::add_part(const UncountedPart& part, bool is_last, const std::vector<Parameter>& all) {
  const auto occurring = occurring_values(part.layers);
  const auto first = static_cast<std::uint32_t>(levels_.size());
  NodeOffset offset = static_cast<NodeOffset>(children_.size());
  for (std::size_t i = 0; i < part.layers.size(); ++i) {
    DiagramLevel level;
    level.parameter = part.parameters[i];
    level.width = static_cast<std::uint32_t>(occurring[i].size());
    level.begin = offset;
    level.digits_begin = static_cast<std::uint32_t>(digits_.size());
    level.positions_begin = static_cast<std::uint32_t>(positions_.size());
    level.part = static_cast<std::uint32_t>(parts_.size());
    digits_.resize(digits_.size() + all[level.parameter].values.size(), no_digit);
    for (const std::uint32_t value : occurring[i]) {
      const std::uint16_t position = part.positions[i][value];
      digits_[level.digits_begin + position] = static_cast<std::uint16_t>(positions_.size() - level.positions_begin);
      positions_.push_back(position);
    }
    offset += static_cast<NodeOffset>(part.layers[i].nodes() * level.width);
    nodes_ += part.layers[i].nodes();
    levels_.push_back(level);
  }
  const NodeOffset behind = is_last ? 0 : offset;
  parts_.push_back({first, static_cast<std::uint32_t>(levels_.size()), levels_[first].begin, 1});
  children_.reserve(offset);
  for (std::size_t i = 0; i < part.layers.size(); ++i) {
    const Layer& layer = part.layers[i];
    const bool closes = i + 1 == part.layers.size();
    for (std::size_t node = 0; node < layer.nodes(); ++node) {
      for (const std::uint32_t value : occurring[i]) {
        const std::uint32_t child = layer.children[node * layer.width + value];
        const NodeOffset next = closes ? behind : levels_[first + i + 1].begin + child * levels_[first + i + 1].width;
        children_.push_back(child == no_node ? no_node : next);
      }
    }
  }
}

void Diagram::add_slots() {
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    levels_[i].slots_begin = static_cast<std::uint32_t>(level_of_slot_.size());
    level_of_slot_.insert(level_of_slot_.end(), levels_[i].width - 1, static_cast<std::uint32_t>(i));
  }
}

// Counts the configurations below each node, from the last level to the root. Returns false if 64-bit numbers overflow;
// 128-bit numbers saturate instead.
template <typename Count>
bool Diagram::count(std::vector<Count>& before) {
  before.resize(children_.size());
  std::vector<Count> below(children_.size());  // at a node's offset: configurations below the node
  for (std::size_t i = levels_.size(); i-- > 0;) {
    const bool is_last = i + 1 == levels_.size();
    const NodeOffset end = is_last ? static_cast<NodeOffset>(children_.size()) : levels_[i + 1].begin;
    for (NodeOffset node = levels_[i].begin; node < end; node += levels_[i].width) {
      Count sum = 0;
      for (NodeOffset arc = node; arc < node + levels_[i].width; ++arc) {
        before[arc] = sum;
        if (children_[arc] == no_node) continue;
        const Count more = is_last ? 1 : below[children_[arc]];
        saturated_ = saturated_ || sum > std::numeric_limits<Count>::max() - more;
        sum = saturated_ && sum > std::numeric_limits<Count>::max() - more ? std::numeric_limits<Count>::max()
                                                                           : sum + more;
      }
      below[node] = sum;
    }
    if (saturated_ && sizeof(Count) == sizeof(std::uint64_t)) return false;
  }
  for (DiagramPart& part : parts_) part.from_here = below[part.root];
  size_ = levels_.empty() ? 1 : below[0];
  return true;
}

// Computes, for sampling, the weights below each node in doubles, part by part.
void Diagram::weigh() {
  masses_.resize(children_.size());
  std::vector<double> below(children_.size());
  for (std::size_t i = levels_.size(); i-- > 0;) {
    const bool closes = i + 1 == parts_[levels_[i].part].end;
    const NodeOffset end = i + 1 == levels_.size() ? static_cast<NodeOffset>(children_.size()) : levels_[i + 1].begin;
    for (NodeOffset node = levels_[i].begin; node < end; node += levels_[i].width) {
      for (NodeOffset arc = node; arc < node + levels_[i].width; ++arc) {
        if (children_[arc] != no_node) masses_[arc] = closes ? 1 : below[children_[arc]];
        below[node] += masses_[arc];
      }
    }
    // Only shares within a node matter. A factor common to a level is removed before it outgrows a double.
    const double most = *std::max_element(below.begin() + levels_[i].begin, below.begin() + end);
    for (NodeOffset arc = levels_[i].begin; arc < end; ++arc) {
      below[arc] /= most;
      masses_[arc] /= most;
    }
  }
}

void Diagram::add_segments() {
  std::size_t bytes = 0;
  const auto rows_from = [&](std::size_t part) {
    return part == parts_.size() ? std::uint64_t{1} : static_cast<std::uint64_t>(parts_[part].from_here);
  };
  for (std::size_t first = 0; first < parts_.size();) {
    // As many parts as one table takes, at least one.
    std::size_t end = first + 1;
    const auto size_of = [&](std::size_t to) {
      const SpaceSize rows = rows_from(first) / rows_from(to);
      return rows * (parts_[to - 1].end - parts_[first].first);
    };
    while (end < parts_.size() && size_of(end + 1) <= max_shared_table) ++end;
    Segment segment{parts_[first].first, parts_[end - 1].end,
                    parts_[first].root,  rows_from(first) / rows_from(end),
                    rows_from(end),      {}};
    const SpaceSize own = size_of(end);
    const auto fits = [&](const DiagramLevel& level) { return positions(level).back() <= 255; };
    const bool is_narrow = std::all_of(levels_.begin() + segment.first, levels_.begin() + segment.end, fits);
    if (is_narrow && own <= max_table_of_part && bytes + own <= max_tables) {
      bytes += static_cast<std::size_t>(own);
      write_table(segment);
    }
    segments_.push_back(std::move(segment));
    first = end;
  }
}

void Diagram::write_table(Segment& segment) const {
  segment.table.resize(segment.rows * (segment.end - segment.first));
  std::vector<std::uint8_t> row(segment.end - segment.first);
  write_rows(segment, segment.first, segment.root, row, segment.table.data());
}

std::uint8_t* Diagram::write_rows(const Segment& segment, std::uint32_t level, NodeOffset node,
                                  std::vector<std::uint8_t>& row, std::uint8_t* to) const {
  const std::span<const std::uint16_t> here = positions(levels_[level]);
  for (std::size_t digit = 0; digit < here.size(); ++digit) {
    const NodeOffset next = child(node, digit);
    if (next == no_node) continue;
    row[level - segment.first] = static_cast<std::uint8_t>(here[digit]);
    if (level + 1 < segment.end) {
      to = write_rows(segment, level + 1, next, row, to);
    } else {
      for (std::size_t k = 0; k < row.size(); ++k) to[k] = row[k];
      to += row.size();
    }
  }
  return to;
}

std::size_t Diagram::bytes() const {
  std::size_t total = children_.size() * sizeof(NodeOffset) + before_.size() * sizeof(std::uint64_t) +
                      wide_before_.size() * sizeof(SpaceSize) + masses_.size() * sizeof(double) +
                      levels_.size() * sizeof(DiagramLevel);
  total += sizeof(std::uint16_t) * (digits_.size() + positions_.size()) + sizeof(std::uint32_t) * level_of_slot_.size();
  for (const Segment& segment : segments_) total += segment.table.size();
  return total;
}

}  // namespace attune::space
