// Chooses the few configurations that serve many problems, if each problem gets the best of them. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cover/matrix.hpp"

namespace attune {

struct ChosenColumns {
  std::vector<std::size_t> columns;  // of CoverLosses, ascending; perhaps with the default
  bool is_exact = true;              // no other choice is better
};

struct ChoiceTerms {
  std::size_t most = 4;         // columns
  double allowed_worst = 0.05;  // a choice whose worst loss is above this one is worse than any with a less worst loss
  bool with_default = false;    // the default is one of the columns
  std::int64_t most_steps = 1'000'000;  // of the exact search; behind them the best so far stays
};

// Returns the columns of the least mean loss over `problems`, whose worst loss is bounded as the terms say. It begins
// with a greedy choice, exchanges single columns while that helps, then looks for a better choice by branch and bound.
ChosenColumns choose_columns(const CoverLosses& losses, std::span<const std::size_t> problems,
                             const ChoiceTerms& terms);

}  // namespace attune
