// Finds rows near a row. The diagram must not be empty. Pure; any thread.
#pragma once

#include <array>
#include <functional>

#include "space/stages/diagram.hpp"

namespace attune::space {

// The digits first .. end-1 of a level.
struct Window {
  std::uint32_t first, end;
};
// Returns the digits of the values at or adjacent to a position. Only values that occur have digits.
Window window_around(const Diagram& diagram, const DiagramLevel& level, std::uint16_t position);

// The legal rows that differ from a given row in one parameter. The given row may be illegal.
class Surroundings {
 public:
  // Both must outlive it.
  Surroundings(const Diagram& diagram, RowView row);
  Surroundings(const Surroundings&) = delete;
  Surroundings& operator=(const Surroundings&) = delete;

  // Calls `visit` with these rows, in the order of parameters, then of values, until `visit` returns false. `kind` is
  // any_value or adjacent_value.
  void visit(Neighbourhood kind, const std::function<bool(RowView)>& visit) const;
  // Draws uniformly from the legal rows that differ in any one value. Returns false if none of `draws` drawn rows was
  // legal and `allowed`, although such rows may exist. Returns false too if the given row is illegal.
  template <typename Allowed>
  bool draw(int draws, std::mt19937_64& random, std::span<std::uint16_t> to, const Allowed& allowed) const;

 private:
  static constexpr std::size_t few_levels = 48;
  enum class RowFit { legal, one_part_off, one_fixed_off, hopeless };
  // Where the given row passes a level: the node and the digit. The node is no_node once the row has left its part of
  // the diagram.
  struct PathNode {
    NodeOffset node;
    std::uint16_t digit;
  };

  bool follow_all();
  bool follow(const DiagramPart& part);
  bool take(std::uint32_t slot, std::span<std::uint16_t> to) const;
  bool legal(std::size_t level, std::size_t end, NodeOffset child) const;

  const Diagram& diagram_;
  RowView row_;
  RowFit state_ = RowFit::legal;
  std::uint32_t off_part_ = 0;  // the part in which the row is not legal
  const FixedParameter* off_fixed_ = nullptr;
  // By level. In a diagram of at most few_levels they stay on the stack.
  std::array<PathNode, few_levels> few_;
  std::vector<PathNode> many_;
  PathNode* steps_;
};

// Each 64 random bits serve two draws, because making random bits costs as much as checking a draw.
template <typename Allowed>
bool Surroundings::draw(int draws, std::mt19937_64& random, std::span<std::uint16_t> to, const Allowed& allowed) const {
  const std::uint32_t slots = diagram_.slots();
  if (state_ != RowFit::legal || slots == 0) return false;
  for (int draw = 0; draw < draws;) {
    std::uint64_t bits = random();
    for (int half = 0; half < 2; ++half, bits >>= 32) {
      // Source: as in uniform_below.
      const std::uint64_t drawn = (bits & 0xffffffffU) * slots;
      const auto low = static_cast<std::uint32_t>(drawn);
      if (low < slots && low < (0 - slots) % slots) continue;
      ++draw;
      if (take(static_cast<std::uint32_t>(drawn >> 32), to) && allowed(RowView(to))) return true;
    }
  }
  return false;
}

// Visits, in index order, the legal rows whose values are all equal or adjacent to `row`'s, except `row`.
void visit_adjacent_rows(const Diagram& diagram, RowView row, const std::function<bool(RowView)>& visit);
bool draw_adjacent_row(const Diagram& diagram, RowView row, std::mt19937_64& random, std::span<std::uint16_t> to);

// The wish for a parameter: any value (`given` is false), an unlisted value (no `position`), or a position.
struct Wish {
  bool given = false;
  std::optional<std::uint16_t> position;
};

// Returns a number that orders rows by the parameters in which they differ from the wishes, then by the steps between
// positions.
std::uint64_t distance(RowView row, const std::vector<Wish>& wishes);
// Writes the row with the least distance to the wishes; among several, the one with the lowest index.
void nearest_row(const Diagram& diagram, const std::vector<Wish>& wishes, std::span<std::uint16_t> row);

}  // namespace attune::space
