// Piecewise cubic Hermite interpolation that keeps monotone data monotone. Slopes inside: Fritsch and Butland (SIAM J.
// Sci. Stat. Comput. 5, 1984). Slopes at the ends: three-point formulas (Moler, Numerical Computing with MATLAB, 3.4).
// The curve is that of SciPy's PchipInterpolator. Pure; immutable.
#pragma once

#include <vector>

namespace attune {

class Pchip {
 public:
  // Needs at least two points, with x strictly ascending.
  Pchip(std::vector<double> x, std::vector<double> y);
  // Returns the value at x. Beyond the points the outer cubic continues.
  double operator()(double x) const;

 private:
  std::vector<double> x_, y_, slopes_;
};

}  // namespace attune
