// What lies near a row in a diagram that is not empty. Pure; any thread.
#pragma once

#include <array>
#include <functional>

#include "space/stages/diagram.hpp"

namespace attune::space {

// Digits first .. end-1 of a level.
struct Window {
  std::uint32_t first, end;
};
// The digits of a position and of the adjacent values that occur.
Window window_around(const Diagram& diagram, const DiagramLevel& level, std::uint16_t position);

// The legal rows that differ from one row, which need not be legal, in one parameter.
class Surroundings {
 public:
  // Both must outlive it.
  Surroundings(const Diagram& diagram, RowView row);
  Surroundings(const Surroundings&) = delete;
  Surroundings& operator=(const Surroundings&) = delete;

  // In the order of parameters, then of values, until `visit` returns false. `kind` is any_value or adjacent_value.
  void visit(Neighbourhood kind, const std::function<bool(RowView)>& visit) const;
  // A random one of the legal rows that differ in any one value, all alike. False where `draws` of all rows that differ
  // in one value met no legal one that `allowed` too; then there may still be some.
  template <typename Allowed>
  bool draw(int draws, std::mt19937_64& random, std::span<std::uint16_t> to, const Allowed& allowed) const;

 private:
  static constexpr std::size_t few_levels = 48;
  enum class State { legal, one_part_off, one_fixed_off, hopeless };
  // Where the row passes a level: its node, no_node behind where its way ends, and its digit there.
  struct Step {
    NodeOffset node;
    std::uint16_t digit;
  };

  bool follow_all();
  bool follow(const DiagramPart& part);
  bool take(std::uint32_t slot, std::span<std::uint16_t> to) const;
  bool legal(std::size_t level, std::size_t end, NodeOffset child) const;

  const Diagram& diagram_;
  RowView row_;
  State state_ = State::legal;
  std::uint32_t off_part_ = 0;  // that the row is not legal in
  const Fixed* off_fixed_ = nullptr;
  // By level. On the stack for as many as people have.
  std::array<Step, few_levels> few_;
  std::vector<Step> many_;
  Step* steps_;
};

// Each 64 random bits serve two draws: they cost as much as looking at what was drawn.
template <typename Allowed>
bool Surroundings::draw(int draws, std::mt19937_64& random, std::span<std::uint16_t> to, const Allowed& allowed) const {
  const std::uint32_t slots = diagram_.slots();
  if (state_ != State::legal || slots == 0) return false;
  for (int draw = 0; draw < draws;) {
    std::uint64_t bits = random();
    for (int half = 0; half < 2; ++half, bits >>= 32) {
      // Source: as uniform_below.
      const std::uint64_t drawn = (bits & 0xffffffffU) * slots;
      const auto low = static_cast<std::uint32_t>(drawn);
      if (low < slots && low < (0 - slots) % slots) continue;
      ++draw;
      if (take(static_cast<std::uint32_t>(drawn >> 32), to) && allowed(RowView(to))) return true;
    }
  }
  return false;
}

// The legal rows of which every value is that of `row` or adjacent to it, `row` excepted, in index order.
void visit_adjacent_rows(const Diagram& diagram, RowView row, const std::function<bool(RowView)>& visit);
bool draw_adjacent_row(const Diagram& diagram, RowView row, std::mt19937_64& random, std::span<std::uint16_t> to);

// What is wished for a parameter: nothing, a value that is not listed, or a position.
struct Wish {
  bool given = false;
  std::optional<std::uint16_t> position;
};

// Parameters off, then steps between positions, in one number that orders them.
std::uint64_t distance(RowView row, const std::vector<Wish>& wishes);
// The row with the least distance, of several the one with the lowest index.
void nearest_row(const Diagram& diagram, const std::vector<Wish>& wishes, std::span<std::uint16_t> row);

}  // namespace attune::space
