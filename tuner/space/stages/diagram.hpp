// Diagram: all configurations of a space as one counted decision diagram. Its parts, one per independent group of
// parameters, form a chain: every way through a part ends at the root of the next part. Each node has the number of
// configurations below it, so that one walk finds the i-th configuration or the index of a configuration. Immutable;
// any thread may read it.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "attune/search_space.hpp"
#include "space/stages/layers.hpp"

namespace attune::space {

// Where a node's children begin in the arrays of the diagram.
using NodeOffset = std::uint32_t;
constexpr std::uint16_t no_digit = 0xffff;

// A parameter with one value left.
struct FixedParameter {
  std::uint32_t parameter = 0;
  std::uint16_t position = 0;
};

// A part before it is counted: reduced layers, with the parameter of each layer and the positions of the values that it
// may have.
struct UncountedPart {
  Layers layers;
  std::vector<std::uint32_t> parameters;
  std::vector<std::vector<std::uint16_t>> positions;
};

// The level of one parameter. The values that occur have digits 0 .. width-1, in the order of their positions.
struct DiagramLevel {
  std::uint32_t parameter = 0;
  std::uint32_t width = 0;
  NodeOffset begin = 0;               // offset of the first node
  std::uint32_t digits_begin = 0;     // where the table from positions to digits begins
  std::uint32_t positions_begin = 0;  // where the table from digits to positions begins
  std::uint32_t slots_begin = 0;      // slots() of the levels before this one
  std::uint32_t part = 0;
};

struct DiagramPart {
  std::uint32_t first = 0, end = 0;  // levels
  NodeOffset root = 0;
  SpaceSize from_here = 1;  // configurations of this part and all later ones together, saturating
};

class Diagram {
 public:
  Diagram() = default;  // has no configuration
  Diagram(const std::vector<UncountedPart>& parts, std::vector<FixedParameter> fixed,
          const std::vector<Parameter>& all);

  SpaceSize size() const { return size_; }
  bool saturated() const { return saturated_; }
  std::size_t nodes() const { return nodes_; }
  std::size_t arcs() const { return children_.size(); }
  std::size_t bytes() const;
  const std::vector<DiagramLevel>& levels() const { return levels_; }
  const std::vector<DiagramPart>& parts() const { return parts_; }
  const std::vector<FixedParameter>& fixed() const { return fixed_; }
  // Returns the levels in the order of their parameters.
  const std::vector<std::uint32_t>& by_parameter() const { return by_parameter_; }
  // Returns the sum of width-1 over all levels: the other values that a row could take in one parameter.
  std::uint32_t slots() const { return static_cast<std::uint32_t>(level_of_slot_.size()); }
  const DiagramLevel& level_of_slot(std::uint32_t slot) const { return levels_[level_of_slot_[slot]]; }

  // Returns the child of a node by digit, or no_node. The children of a part's last level are the root of the next
  // part.
  NodeOffset child(NodeOffset node, std::size_t digit) const { return children_[node + digit]; }
  std::uint16_t digit_of(const DiagramLevel& level, std::uint16_t position) const {
    return digits_[level.digits_begin + position];
  }
  std::uint16_t position_of(const DiagramLevel& level, std::size_t digit) const {
    return positions_[level.positions_begin + digit];
  }
  std::span<const std::uint16_t> positions(const DiagramLevel& level) const {
    return {positions_.data() + level.positions_begin, level.width};
  }

  // Writes the row with an index < size().
  void at(SpaceSize index, std::span<std::uint16_t> row) const;
  // Returns nothing for an illegal row, and for indices of 2^128 - 1 or more.
  std::optional<SpaceSize> index_of(RowView row) const;
  bool contains(RowView row) const;
  // Draws uniformly; the diagram must not be empty.
  void sample(std::mt19937_64& random, std::span<std::uint16_t> row) const;

 private:
  // Consecutive parts. If their configurations are few and no position exceeds 255, a table lists them all, and finding
  // one is a copy. The index order is the same with and without a table.
  struct Segment {
    std::uint32_t first = 0, end = 0;  // levels
    NodeOffset root = 0;
    std::uint64_t rows = 0, behind = 1;  // configurations of these parts, and of all later parts
    std::vector<std::uint8_t> table;     // positions, one row per configuration; else empty
  };

  void add_part(const UncountedPart& part, bool is_last, const std::vector<Parameter>& all);
  void add_slots();
  template <typename Count>
  bool count(std::vector<Count>& before);
  void weigh();
  void add_segments();
  void write_table(Segment& segment) const;
  std::uint8_t* write_rows(const Segment& segment, std::uint32_t level, NodeOffset node, std::vector<std::uint8_t>& row,
                           std::uint8_t* to) const;
  template <typename Count>
  Count walk(const std::vector<Count>& before, std::uint32_t first, std::uint32_t end, NodeOffset node, Count rank,
             std::span<std::uint16_t> row) const;
  template <typename Count>
  std::optional<Count> rank_in(const std::vector<Count>& before, RowView row) const;

  std::vector<DiagramLevel> levels_;
  std::vector<DiagramPart> parts_;
  std::vector<FixedParameter> fixed_;
  std::vector<std::uint32_t> by_parameter_;
  std::vector<std::uint32_t> level_of_slot_;
  std::vector<std::uint16_t> digits_, positions_;
  std::vector<NodeOffset> children_;
  // At [node + digit]: the number of configurations below the smaller digits of the node. Only one of the two arrays is
  // filled.
  std::vector<std::uint64_t> before_;
  std::vector<SpaceSize> wide_before_;
  std::vector<double> masses_;  // at [node + digit], where counts exceed 128 bits: the weight below it in its part
  std::vector<Segment> segments_;
  SpaceSize size_ = 0;
  std::size_t nodes_ = 0;
  bool saturated_ = false;
};

}  // namespace attune::space
