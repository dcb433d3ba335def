#include "score/space_statistics.hpp"

#include <algorithm>
#include <cmath>

#include "score/fractions.hpp"

namespace attune {
namespace {

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double cutoff_value(const SpaceStatistics& space, double share) {
  return space.optimum() + (space.median - space.optimum()) * (1 - share);
}

// Returns the number of draws whose best is expected to have the cutoff's rank, counted from the worst. Returns nothing
// if the worst row has that rank already.
std::optional<std::size_t> cutoff_evaluations(const SpaceStatistics& space, double share) {
  const std::size_t count = space.ascending.size();
  const double value = cutoff_value(space, share);
  std::size_t i = 0;
  while (i + 1 < count && space.worst_to_best(i) > value) ++i;
  if (share != 1 && space.worst_to_best(i) == space.optimum()) {
    if (i == 0) return std::nullopt;
    --i;
  }
  return static_cast<std::size_t>(std::ceil(static_cast<double>(i) / static_cast<double>(count + 1 - i)));
}

std::optional<Span> span_of(const SpaceStatistics& space) {
  const auto start = cutoff_evaluations(space, cutoff_start), end = cutoff_evaluations(space, cutoff_end);
  if (!start || !end) return std::nullopt;
  Span span{*start, *end, 0, 0};
  if (span.end_evaluations < span.start_evaluations + 2) {  // the span is too short for a curve, so its ends move apart
    const std::size_t most = *cutoff_evaluations(space, 1);
    span.end_evaluations = std::min(most, span.end_evaluations + (span.start_evaluations == 0 ? 2 : 1));
    if (span.start_evaluations > 0) --span.start_evaluations;
  }
  if (span.end_evaluations <= span.start_evaluations) return std::nullopt;
  span.start_cost = static_cast<double>(span.start_evaluations) * space.median_cost;
  span.end_cost = static_cast<double>(span.end_evaluations) * space.median_cost;
  return span;
}

// Leaves rows of unknown cost out of `with_cost`, `valid` and `failed`.
void add_costs(const RecordedSpace& recorded, SpaceStatistics& space) {
  std::vector<double> with_cost, valid, failed;
  std::size_t failures = 0;
  for (std::size_t i = 0; i < space.rows; ++i) {
    const bool is_valid = recorded.outcome(i).valid;
    failures += is_valid ? 0 : 1;
    const double cost = recorded.cost(i);
    if (cost == 0) continue;
    with_cost.push_back(cost);
    (is_valid ? valid : failed).push_back(cost);
  }
  space.median_cost = median_of(with_cost);
  const double share = static_cast<double>(failures) / static_cast<double>(space.rows);
  space.mean_cost = (valid.empty() ? 0 : mean_of(valid)) + (failed.empty() ? 0 : share * mean_of(failed));
}

}  // namespace

std::vector<double> Span::points() const {
  std::vector<double> points(time_points);
  const double step = (end_cost - start_cost) / static_cast<double>(time_points - 1);
  for (std::size_t i = 0; i < time_points; ++i) points[i] = start_cost + static_cast<double>(i) * step;
  points.back() = end_cost;
  return points;
}

SpaceStatistics space_statistics(const RecordedSpace& recorded) {
  SpaceStatistics space;
  space.ascending = valid_objectives(recorded);
  space.rows = recorded.recording().trials.size();
  space.median = median_of(space.ascending);
  space.cutoff_value = cutoff_value(space, cutoff_end);
  add_costs(recorded, space);
  space.span = span_of(space);
  return space;
}

}  // namespace attune
