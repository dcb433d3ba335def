// SpaceStatistics: figures of the comparison methodology (Willemsen et al., FGCS 2024, 10.1016/j.future.2024.05.021),
// computed from all measurements of a space. Strategies are compared over a span: the time that random search needs to
// come near the optimum. A plain value. The formulas: docs/score.md.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "score/simulate.hpp"

namespace attune {

// The shares of the way from the median objective to the optimum at which the span ends and starts.
inline constexpr double cutoff_end = 0.95;
inline constexpr double cutoff_start = 0.01;
// The number of time points of a curve: the methodology's default.
inline constexpr std::size_t time_points = 1000;
// Searches run for this multiple of the span's end, so that curves reach it.
inline constexpr double budget_margin = 1.1;

// The span of a comparison. Costs are seconds, or evaluations if the recording has no costs.
struct Span {
  std::size_t start_evaluations = 0, end_evaluations = 0;  // that random search is expected to need
  double start_cost = 0, end_cost = 0;
  double budget() const noexcept { return budget_margin * end_cost; }
  std::vector<double> points() const;  // time_points equally spaced costs, including both ends
};

struct SpaceStatistics {
  std::vector<double> ascending;  // valid objectives, best to worst; at least one
  std::size_t rows = 0;           // including the failed ones
  double median = 0;              // of the valid objectives
  double cutoff_value = 0;        // the objective at cutoff_end
  double median_cost = 0;         // over all rows that have a cost, failed ones included
  double mean_cost = 0;           // mean of the valid + share of the failed * mean of the failed
  // Nothing if no search is needed because all objectives are equal, or because the first draw is expected to reach the
  // span's end.
  std::optional<Span> span;

  double optimum() const noexcept { return ascending.front(); }
  double worst_to_best(std::size_t i) const { return ascending[ascending.size() - 1 - i]; }
};

// Returns the figures of a recording. Throws UsageError if no trial is valid.
SpaceStatistics space_statistics(const RecordedSpace& recorded);

}  // namespace attune
