// BudgetUse: how much of its budget one construction has used. One thread.
#pragma once

#include <algorithm>
#include <cstdint>

#include "attune/search_space.hpp"

namespace attune::space {

// Thrown when the budget is spent. The construction catches it and finds the rules to blame.
struct OverBudget {};

class BudgetUse {
 public:
  explicit BudgetUse(const SpaceBudget& budget) : budget_(budget) {}

  void steps(std::uint64_t count) {
    steps_ += count;
    if (steps_ > budget_.steps) throw OverBudget{};
  }
  // Called while something is built: `nodes` are on one level, `bytes` are held for all of it. Throws OverBudget.
  void level(std::size_t nodes, std::size_t bytes) {
    widest_ = std::max(widest_, nodes);
    peak_ = std::max(peak_, kept_ + bytes);
    if (nodes > budget_.nodes || kept_ + bytes > budget_.bytes) throw OverBudget{};
  }
  // Called after something is built: `bytes` stay in use.
  void keep(std::size_t bytes) { kept_ += bytes; }

  // Takes back what a failed part used since the copy `before` was made. Its peaks remain.
  void take_back(const BudgetUse& before) {
    steps_ = before.steps_;
    kept_ = before.kept_;
  }

  std::uint64_t steps_used() const { return steps_; }
  std::size_t widest() const { return widest_; }
  std::size_t peak_bytes() const { return peak_; }

 private:
  SpaceBudget budget_;
  std::uint64_t steps_ = 0;
  std::size_t widest_ = 0, peak_ = 0, kept_ = 0;
};

}  // namespace attune::space
