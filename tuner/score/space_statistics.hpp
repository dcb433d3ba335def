// SpaceStatistics: what the comparison methodology (Willemsen et al., FGCS 2024, 10.1016/j.future.2024.05.021) derives
// from all measurements of a search space: how long random search needs to come near the optimum, which is the span in
// which strategies are compared. A plain value. The formulas: docs/score.md.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "score/simulate.hpp"

namespace attune {

// Where the objective has passed 95 % (the end) or 1 % (the start) of the way from the median to the optimum.
inline constexpr double cutoff_end = 0.95;
inline constexpr double cutoff_start = 0.01;
// The time points of a curve; the methodology's default.
inline constexpr std::size_t time_points = 1000;
// Searches run for so many times the end of the span, so that curves reach it.
inline constexpr double budget_margin = 1.1;

// The span of a comparison. Costs are seconds or, of a recording without costs, evaluations.
struct Span {
  std::size_t start_evaluations = 0, end_evaluations = 0;  // that random search is expected to need
  double start_cost = 0, end_cost = 0;
  double budget() const noexcept { return budget_margin * end_cost; }
  std::vector<double> points() const;  // time_points of them, both ends among them
};

struct SpaceStatistics {
  std::vector<double> ascending;  // valid objectives, best to worst; at least one
  std::size_t rows = 0;           // with the failed ones
  double median = 0;              // of the valid objectives
  double cutoff_value = 0;        // the objective at cutoff_end
  double median_cost = 0;         // of all rows that have a cost, failed ones included
  double mean_cost = 0;           // mean of the valid + share of the failed * mean of the failed
  // Nothing where no search is needed: all objectives equal, or the first draw is expected to be as good as the span's
  // end.
  std::optional<Span> span;

  double optimum() const noexcept { return ascending.front(); }
  double worst_to_best(std::size_t i) const { return ascending[ascending.size() - 1 - i]; }
};

// Throws UsageError where no trial is valid.
SpaceStatistics space_statistics(const RecordedSpace& recorded);

}  // namespace attune
