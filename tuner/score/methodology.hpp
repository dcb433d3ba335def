// The score of the comparison methodology (Willemsen et al., FGCS 2024, 10.1016/j.future.2024.05.021). It compares a
// strategy with random search, on average over the span of a search space. 0 means as good as random search, 1 means
// that the optimum is found at once, and below 0 means worse than random search. Pure functions. The formulas, and
// where they depart from the authors' program: docs/score.md.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "score/space_statistics.hpp"

namespace attune {

// One value for each of Span::points().
using Curve = std::vector<double>;

// Returns, at each point, the best objective that random search is expected to have found. Here and below, `space.span`
// must be set.
Curve random_curve(const SpaceStatistics& space);

// The seed of a bag of monotone regressions, each over a bootstrap sample; their mean counts. The methodology scores
// with a bag. Without one, there is a single regression over all repeats, which needs no random numbers.
struct Bag {
  std::uint64_t seed = 0;
};
// Returns, at each point, the best objective found in `repeats`, of which there must be at least one. Visits beyond the
// budget are left out.
Curve strategy_curve(const SpaceStatistics& space, const std::vector<Visits>& repeats, std::optional<Bag> bag);

// Returns (strategy - random) / (optimum - random) at each point.
Curve performance(const SpaceStatistics& space, const Curve& strategy, const Curve& random);

struct Score {
  double score = 0;  // mean over the points of the mean over spaces
  double error = 0;  // standard deviation over the points of the mean over spaces
};
// Returns the score of the performances of one or more spaces, all with the same weight.
Score score(const std::vector<Curve>& performances);

}  // namespace attune
