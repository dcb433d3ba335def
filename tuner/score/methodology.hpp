// The score of the comparison methodology (Willemsen et al., FGCS 2024, 10.1016/j.future.2024.05.021). It compares a
// strategy with random search, on average over the span of a search space. 0 is as good as random, 1 the optimum at
// once, below 0 worse. Pure functions. The formulas, and where they depart from the authors' program: docs/score.md.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "score/space_statistics.hpp"

namespace attune {

// A value for each of Span::points().
using Curve = std::vector<double>;

// Returns the best objective that random search is expected to have found. `space.span` is set, here and below.
Curve random_curve(const SpaceStatistics& space);

// One monotone regression over all repeats, or the mean of a bag of them, each over a bootstrap sample. The methodology
// scores with the bag; the single regression needs no random numbers.
struct Bag {
  std::uint64_t seed = 0;
};
// Returns the best objective found in `repeats` (at least one). Visits beyond the budget are left out.
Curve strategy_curve(const SpaceStatistics& space, const std::vector<Visits>& repeats, std::optional<Bag> bag);

// Returns (strategy - random) / (optimum - random) at each point.
Curve performance(const SpaceStatistics& space, const Curve& strategy, const Curve& random);

struct Score {
  double score = 0;  // mean over the points of the mean over spaces
  double error = 0;  // standard deviation over the points of the mean over spaces
};
// Scores the performances of one or more spaces, each with the same weight.
Score score(const std::vector<Curve>& performances);

}  // namespace attune
