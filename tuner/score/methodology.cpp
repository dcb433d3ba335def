#include "score/methodology.hpp"

#include <algorithm>
#include <cmath>

#include "score/pchip.hpp"

namespace attune {
namespace {

// Returns the expected rank, counted from the worst, of the best of `draws` draws. Halves round to even, as in NumPy.
std::size_t expected_rank(std::size_t draws, std::size_t count) {
  const double k = static_cast<double>(draws);
  const double rank = std::nearbyint(k * static_cast<double>(count + 1) / (k + 1));
  return std::min(count - 1, static_cast<std::size_t>(rank));
}

}  // namespace

Curve random_curve(const SpaceStatistics& space) {
  std::vector<double> draws, values;  // distinct numbers of draws, and the best value after them
  Curve plain;
  for (const double cost : space.span->points()) {
    const double count = std::nearbyint(std::max(cost / space.mean_cost, 1.0));
    plain.push_back(space.worst_to_best(expected_rank(static_cast<std::size_t>(count), space.ascending.size())));
    if (!draws.empty() && draws.back() == count) continue;
    draws.push_back(count);
    values.push_back(plain.back());
  }
  if (draws.size() < 2) return plain;
  const Span over{0, 0, draws.front(), draws.back()};
  const Pchip smooth(std::move(draws), std::move(values));
  Curve curve;
  for (const double count : over.points()) curve.push_back(smooth(count));
  return curve;
}

Curve performance(const SpaceStatistics& space, const Curve& strategy, const Curve& random) {
  Curve relative(strategy.size());
  for (std::size_t i = 0; i < strategy.size(); ++i) {
    const double room = random[i] - space.optimum();
    // In a space of a few rows random search may be at the optimum already, so that nothing can be better.
    relative[i] = room > 0 ? (random[i] - strategy[i]) / room : (space.optimum() - strategy[i]) / space.optimum();
  }
  return relative;
}

Score score(const std::vector<Curve>& performances) {
  const std::size_t points = performances.front().size();
  Curve mean(points);
  for (const Curve& one : performances) {
    for (std::size_t i = 0; i < points; ++i) mean[i] += one[i] / static_cast<double>(performances.size());
  }
  Score result;
  for (const double value : mean) result.score += value;
  result.score /= static_cast<double>(points);
  double squares = 0;
  for (const double value : mean) squares += (value - result.score) * (value - result.score);
  result.error = std::sqrt(squares / static_cast<double>(points));
  return result;
}

}  // namespace attune
