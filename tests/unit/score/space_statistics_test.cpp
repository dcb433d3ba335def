#include "score/space_statistics.hpp"

#include <gtest/gtest.h>

#include "unit/score/small_recording.hpp"

namespace attune {
namespace {

SpaceStatistics statistics_of(const Recording& recording) { return space_statistics(RecordedSpace(recording)); }

// By hand. Median 11, optimum 1. End: 1 + 10 * 0.05 = 1.5, reached first by the optimum (i = 20), so i = 19 and
// ceil(19 / (22 - 19)) = 7. Start: 1 + 10 * 0.99 = 10.9, reached by 10 (i = 11), ceil(11 / (22 - 11)) = 1.
TEST(SpaceStatistics, GiveTheSpanFromStartToEnd) {
  const SpaceStatistics space = statistics_of(twenty_one());
  EXPECT_EQ(space.rows, 28u);
  EXPECT_EQ(space.optimum(), 1);
  EXPECT_EQ(space.median, 11);
  EXPECT_DOUBLE_EQ(space.cutoff_value, 1.5);
  EXPECT_EQ(space.median_cost, 2);
  EXPECT_DOUBLE_EQ(space.mean_cost, 2 + 7.0 / 28 * 4);
  ASSERT_TRUE(space.span);
  EXPECT_EQ(space.span->start_evaluations, 1u);
  EXPECT_EQ(space.span->end_evaluations, 7u);
  EXPECT_EQ(space.span->start_cost, 2);
  EXPECT_EQ(space.span->end_cost, 14);
  EXPECT_DOUBLE_EQ(space.span->budget(), 15.4);
  const std::vector<double> points = space.span->points();
  ASSERT_EQ(points.size(), 1000u);
  EXPECT_EQ(points.front(), 2);
  EXPECT_DOUBLE_EQ(points[333], 6);
  EXPECT_EQ(points.back(), 14);
}

TEST(SpaceStatistics, MoveEndsApartThatAreTooNear) {
  // Worst to best 4 3 2 1, median 2.5. End: 1.075, reached by the optimum, so i = 2, ceil(2 / 3) = 1. Start: 2.485, i =
  // 2 as well. One evaluation each: the start moves to 0, the end to 2 (of ceil(3 / 2) = 2 that the optimum needs).
  const SpaceStatistics space = statistics_of(small_recording({4, 3, 2, 1}));
  ASSERT_TRUE(space.span);
  EXPECT_EQ(space.span->start_evaluations, 0u);
  EXPECT_EQ(space.span->end_evaluations, 2u);
}

TEST(SpaceStatistics, HaveNoSpanWhereNothingIsToBeSought) {
  EXPECT_FALSE(statistics_of(small_recording({5})).span);
  EXPECT_FALSE(statistics_of(small_recording({5, 5, 5, 5})).span);
  EXPECT_FALSE(statistics_of(small_recording({5, 0, 0})).span);
}

TEST(SpaceStatistics, LeaveOutRowsWhoseCostIsNotKnown) {
  Recording recording = small_recording({1, 2, 3, 4, 5}, 2);
  recording.trials[0].compile_s = 0;
  recording.trials[1].compile_s = 6;
  const SpaceStatistics space = statistics_of(recording);
  EXPECT_EQ(space.median_cost, 2);
  EXPECT_DOUBLE_EQ(space.mean_cost, 3);
}

}  // namespace
}  // namespace attune
