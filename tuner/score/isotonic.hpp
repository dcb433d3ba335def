// Monotone regression: the non-increasing sequence nearest to weighted points by squared error. Between its points the
// fit is linear; beyond the outer points it is constant. Algorithm: pool-adjacent-violators (Barlow et al. 1972). Pure;
// immutable.
#pragma once

#include <span>
#include <vector>

namespace attune {

struct WeightedPoint {
  double x = 0, y = 0;
  double weight = 1;  // > 0
};

class NonIncreasingFit {
 public:
  // Needs at least one point, with x ascending. Points with the same x count as their mean.
  explicit NonIncreasingFit(std::span<const WeightedPoint> points);
  double operator()(double x) const;

 private:
  std::vector<double> x_, y_;  // of the corners
};

}  // namespace attune
