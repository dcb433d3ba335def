#include <gtest/gtest.h>

#include "score/isotonic.hpp"
#include "score/pchip.hpp"

namespace attune {
namespace {

void expect_curve(const auto& curve, std::initializer_list<std::pair<double, double>> points) {
  for (const auto& [x, y] : points) EXPECT_NEAR(curve(x), y, 1e-12) << x;
}

// Expected values: scipy.interpolate.PchipInterpolator 1.10.
TEST(Pchip, IsTheCurveOfSciPy) {
  expect_curve(Pchip({0, 1, 3, 4, 6}, {10, 8, 8, 3, 1}),
               {{0, 10}, {0.25, 9.3125}, {1.5, 8}, {3.4, 6.4128}, {5, 1.55}, {6, 1}});
  expect_curve(Pchip({0, 2, 3}, {0, 1, 5}),
               {{0.5, 0.06503378378378377}, {1.5, 0.5701013513513513}, {2.5, 2.475788288288288}});
  expect_curve(Pchip({0, 1, 2}, {3, 1, 0.9}), {{0.5, 1.6550595238095236}, {1.5, 0.9261904761904762}});
  expect_curve(Pchip({1, 3}, {5, 9}), {{1.5, 6}, {3, 9}});
}

// As sklearn.isotonic.IsotonicRegression gives it.
TEST(NonIncreasingFit, PoolsNeighboursThatRise) {
  const auto fit = [](std::vector<WeightedPoint> points) { return NonIncreasingFit(points); };
  // x = 2: (2 * 4 + 6) / 3, pooled with the 7 at 3: (14 + 7) / 4. 2 and 3 are pooled to (3 * 2 + 3) / 4.
  expect_curve(fit({{1, 9, 1}, {2, 4, 2}, {2, 6, 1}, {3, 7, 1}, {5, 2, 3}, {6, 3, 1}}),
               {{0, 9}, {1, 9}, {1.5, 7.125}, {2, 5.25}, {2.5, 5.25}, {3, 5.25}, {4, 3.75}, {5, 2.25}, {7, 2.25}});
  expect_curve(fit({{0, 4}, {1, 3}, {2, -1}}), {{0.5, 3.5}, {1.25, 2}});
  expect_curve(fit({{0, 1}, {1, 2}, {2, 6}}), {{-1, 3}, {0, 3}, {0.7, 3}, {2, 3}, {9, 3}});
  expect_curve(fit({{5, 8}}), {{0, 8}});
}

}  // namespace
}  // namespace attune
