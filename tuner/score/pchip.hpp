// Piecewise cubic Hermite interpolation that keeps monotone data monotone. Slopes: Fritsch and Butland (SIAM J. Sci.
// Stat. Comput. 5, 1984). At the ends: three-point formulas (Moler, Numerical Computing with MATLAB, 3.4). The same
// curve as SciPy's PchipInterpolator. Pure; immutable.
#pragma once

#include <vector>

namespace attune {

class Pchip {
 public:
  // Needs at least two points, x strictly ascending.
  Pchip(std::vector<double> x, std::vector<double> y);
  // Returns the value at x. Beyond the points the outer cubic continues.
  double operator()(double x) const;

 private:
  std::vector<double> x_, y_, slopes_;
};

}  // namespace attune
