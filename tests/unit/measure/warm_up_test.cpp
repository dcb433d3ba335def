#include "measure/warm_up.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace attune {
namespace {

constexpr WarmUpPlan warm_up_plan{.milliseconds = 200, .most_milliseconds = 2000, .clock_ratio = 0.01};

TEST(WarmUp, TakesItsLeastTimeAndGoesOnWhileTheClockMovesUpToItsMost) {
  const std::vector<double> steady{1980, 1980, 1980}, moving{1980, 1950, 1980}, settled{300, 1980, 1975, 1980};
  EXPECT_FALSE(is_warm(199, steady, warm_up_plan));
  EXPECT_TRUE(is_warm(200, steady, warm_up_plan));
  EXPECT_FALSE(is_warm(300, moving, warm_up_plan));
  EXPECT_TRUE(is_warm(2000, moving, warm_up_plan));
  EXPECT_TRUE(is_warm(300, settled, warm_up_plan)) << "what was before does not count";
  EXPECT_FALSE(is_warm(300, std::vector{1980.0, 1980.0}, warm_up_plan)) << "too few readings";
  EXPECT_TRUE(is_warm(300, {}, warm_up_plan)) << "a device without readings";
}

}  // namespace
}  // namespace attune
