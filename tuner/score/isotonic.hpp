// Monotone regression: the non-increasing sequence nearest to weighted points by squared error. Straight lines join its
// points; beyond the outer ones it is constant. Pool-adjacent-violators (Barlow et al. 1972). Pure; immutable.
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
  // Needs at least one point, x ascending; points of one x count as their mean.
  explicit NonIncreasingFit(std::span<const WeightedPoint> points);
  double operator()(double x) const;

 private:
  std::vector<double> x_, y_;  // of the corners
};

}  // namespace attune
