#include <gtest/gtest.h>

#include "score/isotonic.hpp"
#include "score/pchip.hpp"

namespace attune {
namespace {

struct Value {
  double x, y;
};

// Expected values: scipy.interpolate.PchipInterpolator 1.10.
TEST(Pchip, IsTheCurveOfSciPy) {
  const Pchip falling({0, 1, 3, 4, 6}, {10, 8, 8, 3, 1});
  for (const Value& value : {Value{0, 10}, {0.25, 9.3125}, {1.5, 8}, {3.4, 6.4128}, {5, 1.55}, {6, 1}})
    EXPECT_NEAR(falling(value.x), value.y, 1e-12) << value.x;
  const Pchip rising({0, 2, 3}, {0, 1, 5});
  for (const Value& value : {Value{0.5, 0.06503378378378377}, {1.5, 0.5701013513513513}, {2.5, 2.475788288288288}})
    EXPECT_NEAR(rising(value.x), value.y, 1e-12) << value.x;
  const Pchip bent({0, 1, 2}, {3, 1, 0.9});
  EXPECT_NEAR(bent(0.5), 1.6550595238095236, 1e-12);
  EXPECT_NEAR(bent(1.5), 0.9261904761904762, 1e-12);
}

TEST(Pchip, OfTwoPointsIsALine) {
  const Pchip line({1, 3}, {5, 9});
  EXPECT_DOUBLE_EQ(line(1.5), 6);
  EXPECT_DOUBLE_EQ(line(3), 9);
}

TEST(NonIncreasingFit, PoolsNeighboursThatRise) {
  // x = 2: (2 * 4 + 6) / 3, pooled with the 7 at 3: (14 + 7) / 4. 2 and 3 are pooled to (3 * 2 + 3) / 4. As
  // sklearn.isotonic.IsotonicRegression gives it.
  const std::vector<WeightedPoint> points = {{1, 9, 1}, {2, 4, 2}, {2, 6, 1}, {3, 7, 1}, {5, 2, 3}, {6, 3, 1}};
  const NonIncreasingFit fit(points);
  for (const Value& value :
       {Value{0, 9}, {1, 9}, {1.5, 7.125}, {2, 5.25}, {2.5, 5.25}, {3, 5.25}, {4, 3.75}, {5, 2.25}, {7, 2.25}})
    EXPECT_DOUBLE_EQ(fit(value.x), value.y) << value.x;
}

TEST(NonIncreasingFit, KeepsWhatFallsAlready) {
  const std::vector<WeightedPoint> points = {{0, 4}, {1, 3}, {2, -1}};
  const NonIncreasingFit fit(points);
  EXPECT_DOUBLE_EQ(fit(0.5), 3.5);
  EXPECT_DOUBLE_EQ(fit(1.25), 2);
}

TEST(NonIncreasingFit, OfWhatOnlyRisesIsTheMean) {
  const std::vector<WeightedPoint> points = {{0, 1}, {1, 2}, {2, 6}};
  const NonIncreasingFit fit(points);
  for (const double x : {-1.0, 0.0, 0.7, 2.0, 9.0}) EXPECT_DOUBLE_EQ(fit(x), 3);
  const NonIncreasingFit one(std::vector<WeightedPoint>{{5, 8}});
  EXPECT_DOUBLE_EQ(one(0), 8);
}

}  // namespace
}  // namespace attune
