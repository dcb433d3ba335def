// Component: a counted decision diagram over an independent group of parameters: how many configurations lie below each
// node is stored, so that the i-th one is found, and its index computed, in one walk. Immutable; any thread may read.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "attune/search_space.hpp"
#include "core/space/layers.hpp"

namespace attune::space {

// Where a node's children begin in the arrays of its component.
using NodeOffset = std::uint32_t;
constexpr std::uint16_t no_digit = 0xffff;

struct ComponentLevel {
  std::uint32_t parameter = 0;
  std::uint32_t width = 0;               // values that occur
  NodeOffset begin = 0;                  // of the first node of this level
  std::vector<std::uint16_t> positions;  // by digit: the position of the value in its parameter, ascending
  std::vector<std::uint16_t> digit_of;   // by position: its digit, or no_digit
};

class Component {
 public:
  // By level: the parameter, its positions that are in `layers`, and how many values it has in all. `layers` is reduced
  // and not empty.
  Component(const Layers& layers, const std::vector<std::uint32_t>& parameters,
            const std::vector<std::vector<std::uint16_t>>& positions, const std::vector<Parameter>& all);

  SpaceSize size() const { return size_; }
  bool saturated() const { return !masses_.empty(); }
  const std::vector<ComponentLevel>& levels() const { return levels_; }
  std::size_t nodes() const { return nodes_; }
  std::size_t bytes() const;

  // Writes the entries of this component's parameters. rank < size().
  void at(SpaceSize rank, std::span<std::uint16_t> row) const;
  // The same for components of fewer than 2^64 configurations.
  void at_small(std::uint64_t rank, std::span<std::uint16_t> row) const { walk(before_, rank, row); }
  bool is_small() const { return !before_.empty(); }
  std::optional<SpaceSize> rank_of(RowView row) const;
  std::optional<std::uint64_t> small_rank_of(RowView row) const { return rank_in(before_, row); }
  bool contains(RowView row) const { return accepts(0, 0, row); }
  void sample(std::mt19937_64& random, std::span<std::uint16_t> row) const;

  // The child of a node by digit, or no_node; behind the last level 0.
  NodeOffset child(NodeOffset node, std::size_t digit) const { return children_[node + digit]; }
  // Is the rest of the row, from `level` on, allowed below `node` of that level?
  bool accepts(std::size_t level, NodeOffset node, RowView row) const {
    for (; level < levels_.size(); ++level) {
      const std::uint16_t digit = levels_[level].digit_of[row[levels_[level].parameter]];
      if (digit == no_digit) return false;
      node = children_[node + digit];
      if (node == no_node) return false;
    }
    return true;
  }
  std::size_t arcs() const { return children_.size(); }

 private:
  template <typename Count>
  void walk(const std::vector<Count>& before, Count rank, std::span<std::uint16_t> row) const;
  template <typename Count>
  std::optional<Count> rank_in(const std::vector<Count>& before, RowView row) const;
  void number_digits(const Layers& layers, const std::vector<std::vector<std::uint16_t>>& positions,
                     const std::vector<Parameter>& all);
  void copy_children(const Layers& layers);
  void count();
  template <typename Count>
  bool count_in(std::vector<Count>& before, bool& saturated);
  void weigh();

  std::vector<ComponentLevel> levels_;
  std::vector<NodeOffset> children_;
  // At [node + digit]: configurations below the digits before it. One of the two is filled.
  std::vector<std::uint64_t> before_;
  std::vector<SpaceSize> wide_before_;
  std::vector<double> masses_;  // at [node + digit]: configurations below it, where counts exceed 128 bits
  std::vector<std::vector<std::uint32_t>> occurring_;  // while it is made: by level, the values with a child
  SpaceSize size_ = 0;
  std::size_t nodes_ = 0;
};

}  // namespace attune::space
