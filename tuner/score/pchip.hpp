// Piecewise cubic Hermite interpolation that keeps monotone data monotone: Fritsch and Butland's slopes (SIAM J. Sci.
// Stat. Comput. 5, 1984), three-point formulas at the ends (Moler, Numerical Computing with MATLAB, 3.4). The
// same curve as SciPy's PchipInterpolator. Pure; immutable.
#pragma once

#include <vector>

namespace attune {

class Pchip {
 public:
  // At least two points, x strictly ascending.
  Pchip(std::vector<double> x, std::vector<double> y);
  // Within or beyond the points: there the outer cubic goes on.
  double operator()(double x) const;

 private:
  std::vector<double> x_, y_, slopes_;
};

}  // namespace attune
