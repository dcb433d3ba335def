#include "core/space/component.hpp"

#include <algorithm>
#include <limits>

namespace attune::space {
namespace {

template <typename Count>
Count saturating_sum(Count a, Count b) {
  return a > std::numeric_limits<Count>::max() - b ? std::numeric_limits<Count>::max() : a + b;
}

}  // namespace

Component::Component(const Layers& layers, const std::vector<std::uint32_t>& parameters,
                     const std::vector<std::vector<std::uint16_t>>& positions, const std::vector<Parameter>& all) {
  levels_.resize(layers.size());
  for (std::size_t i = 0; i < levels_.size(); ++i) levels_[i].parameter = parameters[i];
  number_digits(layers, positions, all);
  copy_children(layers);
  count();
  occurring_ = {};
}

// Values that no node has a child for get no digit.
void Component::number_digits(const Layers& layers, const std::vector<std::vector<std::uint16_t>>& positions,
                              const std::vector<Parameter>& all) {
  occurring_.resize(levels_.size());
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    const Layer& layer = layers[i];
    ComponentLevel& level = levels_[i];
    std::vector<std::uint8_t> occurs(layer.width);
    for (std::size_t node = 0; node < layer.nodes(); ++node) {
      for (std::uint32_t value = 0; value < layer.width; ++value)
        occurs[value] |= layer.children[node * layer.width + value] != no_node ? 1 : 0;
    }
    level.digit_of.assign(all[level.parameter].values.size(), no_digit);
    for (std::uint32_t value = 0; value < layer.width; ++value) {
      if (occurs[value] == 0) continue;
      level.digit_of[positions[i][value]] = static_cast<std::uint16_t>(level.positions.size());
      level.positions.push_back(positions[i][value]);
      occurring_[i].push_back(value);
    }
    level.width = static_cast<std::uint32_t>(level.positions.size());
  }
}

void Component::copy_children(const Layers& layers) {
  std::size_t total = 0;
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    levels_[i].begin = static_cast<NodeOffset>(total);
    total += layers[i].nodes() * levels_[i].width;
    nodes_ += layers[i].nodes();
  }
  children_.reserve(total);
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    const Layer& layer = layers[i];
    const bool is_last = i + 1 == levels_.size();
    for (std::size_t node = 0; node < layer.nodes(); ++node) {
      for (const std::uint32_t value : occurring_[i]) {
        const std::uint32_t child = layer.children[node * layer.width + value];
        const bool as_it_is = child == no_node || is_last;
        children_.push_back(as_it_is ? child : levels_[i + 1].begin + child * levels_[i + 1].width);
      }
    }
  }
}

// From the last level to the root: what lies below each node. False where a number of 64 bits does not hold it; numbers
// of 128 bits saturate instead.
template <typename Count>
bool Component::count_in(std::vector<Count>& before, bool& saturated) {
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
        if (sum > std::numeric_limits<Count>::max() - more) {
          saturated = true;
          sum = std::numeric_limits<Count>::max();
        } else {
          sum += more;
        }
      }
      below[node] = sum;
    }
    if (saturated && sizeof(Count) == sizeof(std::uint64_t)) return false;
  }
  size_ = below[0];
  return true;
}

void Component::count() {
  bool saturated = false;
  if (count_in(before_, saturated)) return;
  before_ = {};
  saturated = false;
  count_in(wide_before_, saturated);
  if (saturated) weigh();
}

// The same in doubles, for sampling.
void Component::weigh() {
  masses_.resize(children_.size());
  std::vector<double> below(children_.size());
  for (std::size_t arc = children_.size(); arc-- > 0;) {
    if (children_[arc] != no_node) masses_[arc] = arc >= levels_.back().begin ? 1 : below[children_[arc]];
    // Offsets of a level are multiples of its width behind its begin: the first digit closes its node.
    const auto level = std::prev(std::upper_bound(levels_.begin(), levels_.end(), arc,
                                                  [](std::size_t at, const auto& item) { return at < item.begin; }));
    if ((arc - level->begin) % level->width != 0) continue;
    for (std::size_t digit = 0; digit < level->width; ++digit) below[arc] += masses_[arc + digit];
  }
}

std::size_t Component::bytes() const {
  std::size_t total = children_.size() * sizeof(NodeOffset) + before_.size() * sizeof(std::uint64_t) +
                      wide_before_.size() * sizeof(SpaceSize) + masses_.size() * sizeof(double);
  for (const auto& level : levels_) total += sizeof(level) + 2 * (level.positions.size() + level.digit_of.size());
  return total;
}

template <typename Count>
void Component::walk(const std::vector<Count>& before, Count rank, std::span<std::uint16_t> row) const {
  NodeOffset node = 0;
  for (const ComponentLevel& level : levels_) {
    // The last digit with at most `rank` configurations before it; no branch that the processor could guess wrong.
    const Count* first = before.data() + node;
    for (std::size_t left = level.width; left > 1;) {
      const std::size_t half = left / 2;
      first = first[half] <= rank ? first + half : first;
      left -= half;
    }
    rank -= *first;
    const auto arc = static_cast<std::size_t>(first - before.data());
    row[level.parameter] = level.positions[arc - node];
    node = children_[arc];
  }
}

template <typename Count>
std::optional<Count> Component::rank_in(const std::vector<Count>& before, RowView row) const {
  NodeOffset node = 0;
  Count rank = 0;
  for (const ComponentLevel& level : levels_) {
    const std::uint16_t digit = level.digit_of[row[level.parameter]];
    if (digit == no_digit) return std::nullopt;
    const std::size_t arc = node + digit;
    node = children_[arc];
    if (node == no_node) return std::nullopt;
    rank = saturating_sum(rank, before[arc]);
  }
  return rank;
}

template void Component::walk(const std::vector<std::uint64_t>&, std::uint64_t, std::span<std::uint16_t>) const;
template std::optional<std::uint64_t> Component::rank_in(const std::vector<std::uint64_t>&, RowView) const;

void Component::at(SpaceSize rank, std::span<std::uint16_t> row) const {
  if (is_small()) return walk(before_, static_cast<std::uint64_t>(rank), row);
  walk(wide_before_, rank, row);
}

std::optional<SpaceSize> Component::rank_of(RowView row) const {
  if (is_small()) return rank_in(before_, row);
  return rank_in(wide_before_, row);
}

void Component::sample(std::mt19937_64& random, std::span<std::uint16_t> row) const {
  if (!saturated()) return at(uniform_below(size_, random), row);
  // More configurations than 128 bits count: each step by the share of what lies below it, in doubles.
  NodeOffset node = 0;
  for (const ComponentLevel& level : levels_) {
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
    row[level.parameter] = level.positions[chosen];
    node = children_[node + chosen];
  }
}

}  // namespace attune::space
