#include "measure/warm_up.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace attune {
namespace {

constexpr WarmUpPlan warm_up_plan{.milliseconds = 200, .most_milliseconds = 2000, .clock_ratio = 0.01};

TEST(WarmUp, TakesItsLeastTimeInAnyCase) {
  EXPECT_FALSE(is_warm(199, std::vector{1980.0, 1980.0, 1980.0}, warm_up_plan));
  EXPECT_TRUE(is_warm(200, std::vector{1980.0, 1980.0, 1980.0}, warm_up_plan));
}

TEST(WarmUp, GoesOnWhileTheClockMoves) {
  EXPECT_FALSE(is_warm(300, std::vector{1980.0, 1950.0, 1980.0}, warm_up_plan));
  EXPECT_TRUE(is_warm(300, std::vector{1980.0, 1975.0, 1980.0}, warm_up_plan));
  EXPECT_TRUE(is_warm(300, std::vector{300.0, 1980.0, 1975.0, 1980.0}, warm_up_plan))
      << "what was before does not count";
}

TEST(WarmUp, WaitsForReadingsWhereThereAreAny) {
  EXPECT_FALSE(is_warm(300, std::vector{1980.0, 1980.0}, warm_up_plan));
  EXPECT_TRUE(is_warm(300, {}, warm_up_plan)) << "a device that tells no clock";
}

TEST(WarmUp, EndsHoweverTheClockMoves) { EXPECT_TRUE(is_warm(2000, std::vector{900.0, 1950.0, 300.0}, warm_up_plan)); }

}  // namespace
}  // namespace attune
