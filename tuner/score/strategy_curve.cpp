// Makes one curve over the span from the visits of many repeats.
#include <algorithm>
#include <cmath>
#include <random>

#include "score/isotonic.hpp"
#include "score/methodology.hpp"

namespace attune {
namespace {

// Visits up to this distance outside the span still count, as a share of the cost at the end or start. With few
// evaluations the distance is a little larger.
constexpr double score_margin = 0.1;
constexpr double margin_of_few = 0.25;
constexpr std::size_t least_estimators = 3;

struct PooledCurves {
  std::vector<WeightedPoint> points;  // (cost, rank of the best so far), by cost, then rank; rank 0 is the optimum
  double frozen_from = 0;             // the cost beyond which too few repeats go on
};

// Returns the number of visits until the budget is used up, including the visit that uses it up.
std::size_t within_budget(const Visits& visits, double budget) {
  std::size_t count = 0;
  while (count < visits.size() && (count == 0 || visits[count - 1].cost < budget)) ++count;
  return count;
}

double median_sorted(const std::vector<double>& values) {
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

// Returns the first end of a repeat beyond the median end, or the span's end if there is none.
double freezing_cost(std::vector<double> ends, double span_end) {
  if (ends.empty()) return span_end;
  std::sort(ends.begin(), ends.end());
  const auto beyond = std::upper_bound(ends.begin(), ends.end(), median_sorted(ends));
  return beyond == ends.end() ? span_end : *beyond;
}

PooledCurves pool(const SpaceStatistics& space, const std::vector<Visits>& repeats) {
  const Span& span = *space.span;
  PooledCurves result;
  std::vector<double> ends;
  std::vector<bool> is_used;  // by evaluation: some repeat has a valid result
  for (const Visits& visits : repeats) {
    const std::size_t count = within_budget(visits, span.budget());
    is_used.resize(std::max(is_used.size(), count));
    for (std::size_t i = 0; i < count; ++i) is_used[i] = is_used[i] || visits[i].best > 0;
    if (count > 0 && visits[count - 1].best > 0) ends.push_back(visits[count - 1].cost);
  }
  const auto used = std::max<std::ptrdiff_t>(std::count(is_used.begin(), is_used.end(), true), 1);
  const double margin = score_margin + margin_of_few / static_cast<double>(used);
  const double least = span.start_cost * (1 - margin), most = span.end_cost * (1 + margin);
  for (const Visits& visits : repeats) {
    const std::size_t count = within_budget(visits, span.budget());
    for (std::size_t i = 0; i < count; ++i) {
      if (visits[i].best == 0 || visits[i].cost < least || visits[i].cost > most) continue;
      const auto place = std::lower_bound(space.ascending.begin(), space.ascending.end(), visits[i].best);
      result.points.push_back({visits[i].cost, static_cast<double>(place - space.ascending.begin())});
    }
  }
  std::sort(result.points.begin(), result.points.end(),
            [](const WeightedPoint& a, const WeightedPoint& b) { return a.x != b.x ? a.x < b.x : a.y < b.y; });
  result.frozen_from = freezing_cost(std::move(ends), span.end_cost);
  return result;
}

std::vector<double> ranks_of(const NonIncreasingFit& fit, const std::vector<double>& costs) {
  std::vector<double> ranks;
  for (const double cost : costs) ranks.push_back(fit(cost));
  return ranks;
}

// Returns the mean over n = max(repeats, 3) fits. Each fit takes a sample of 1 / sqrt(n) of the points, drawn with
// replacement.
std::vector<double> bagged_ranks(const std::vector<WeightedPoint>& points, std::size_t repeats, Bag bag,
                                 const std::vector<double>& costs) {
  const std::size_t estimators = std::max(repeats, least_estimators);
  const double share = 1 / std::sqrt(static_cast<double>(estimators));
  const auto draws = std::max<std::size_t>(static_cast<std::size_t>(share * static_cast<double>(points.size())), 1);
  std::mt19937_64 random(bag.seed);
  std::vector<double> sum(costs.size());
  std::vector<unsigned> times(points.size());
  std::vector<WeightedPoint> sample;
  for (std::size_t i = 0; i < estimators; ++i) {
    std::fill(times.begin(), times.end(), 0u);
    sample.clear();
    for (std::size_t j = 0; j < draws; ++j) ++times[static_cast<std::size_t>(uniform_below(points.size(), random))];
    for (std::size_t j = 0; j < points.size(); ++j) {
      if (times[j] > 0) sample.push_back({points[j].x, points[j].y, static_cast<double>(times[j])});
    }
    const NonIncreasingFit fit(sample);
    for (std::size_t j = 0; j < costs.size(); ++j) sum[j] += fit(costs[j]);
  }
  for (double& value : sum) value /= static_cast<double>(estimators);
  return sum;
}

}  // namespace

Curve strategy_curve(const SpaceStatistics& space, const std::vector<Visits>& repeats, std::optional<Bag> bag) {
  const std::vector<double> costs = space.span->points();
  const PooledCurves pooled = pool(space, repeats);
  // A search without a result counts as the worst objective.
  if (pooled.points.empty()) return Curve(costs.size(), space.ascending.back());
  const std::vector<double> ranks =
      bag ? bagged_ranks(pooled.points, repeats.size(), *bag, costs) : ranks_of(NonIncreasingFit(pooled.points), costs);
  Curve curve;
  for (const double rank : ranks) {
    const double whole = std::clamp(std::nearbyint(rank), 0.0, static_cast<double>(space.ascending.size() - 1));
    curve.push_back(space.ascending[static_cast<std::size_t>(whole)]);
  }
  const auto frozen = std::upper_bound(costs.begin(), costs.end(), pooled.frozen_from);
  if (frozen != costs.end())
    std::fill(curve.begin() + (frozen - costs.begin()), curve.end(),
              curve[static_cast<std::size_t>(frozen - costs.begin())]);
  return curve;
}

}  // namespace attune
