// What lies near a row in the diagrams of a space. Pure; any thread.
#pragma once

#include <functional>

#include "core/space/construction.hpp"

namespace attune::space {

// Digits first .. end-1 of a level.
struct Window {
  std::uint32_t first, end;
};
// The digits of a position and of the adjacent values that occur.
Window window_around(const ComponentLevel& level, std::uint16_t position);

// The legal rows that differ from `row`, which need not be legal, in one parameter.
class Surroundings {
 public:
  // `constructed` and `row` must outlive it. `kind` is any_value or adjacent_value.
  Surroundings(const Constructed& constructed, RowView row, Neighbourhood kind);

  // In the order of parameters, then of values, until `visit` returns false.
  void visit(const std::function<bool(RowView)>& visit) const;
  // Draws a value to change, all alike; false where that gives no legal row.
  bool draw(std::mt19937_64& random, std::span<std::uint16_t> to) const;

 private:
  // A parameter that can be changed.
  struct Place {
    std::uint32_t parameter;
    const Component* component;
    std::size_t level;
    NodeOffset node;           // of that level, on the way of the row
    std::uint16_t digit;       // of the row's value; no_digit where it occurs nowhere
    std::uint32_t first, end;  // digits to try, its own excepted
    bool row_is_legal;         // in this component
    std::uint32_t choices() const { return end - first - (digit >= first && digit < end ? 1 : 0); }
  };

  void add_component(const Component& component, bool is_legal);
  bool legal(const Place& place, std::size_t digit) const;

  const Constructed& constructed_;
  RowView row_;
  Neighbourhood kind_;
  std::vector<Place> places_;
  std::size_t total_ = 0;        // choices of all places
  std::optional<Fixed> repair_;  // the one change that can make the row legal
};

// The legal rows of which every value is that of `row` or adjacent to it, `row` excepted, in index order.
void visit_adjacent_rows(const Constructed& constructed, RowView row, const std::function<bool(RowView)>& visit);
bool draw_adjacent_row(const Constructed& constructed, RowView row, std::mt19937_64& random,
                       std::span<std::uint16_t> to);

// What is wished for a parameter: nothing, a value that is not listed, or a position.
struct Wish {
  bool given = false;
  std::optional<std::uint16_t> position;
};

// Parameters off, then steps between positions, in one number that orders them.
std::uint64_t distance(RowView row, const std::vector<Wish>& wishes);
// The row with the least distance, of several the one with the lowest index. The space is not empty.
void nearest_row(const Constructed& constructed, const std::vector<Wish>& wishes, std::span<std::uint16_t> row);

}  // namespace attune::space
