#include "session/suite_plan.hpp"

#include <gtest/gtest.h>

namespace attune {
namespace {

const EffortPlan& of_measure() { return effort_plan(Effort::measure); }

TEST(SuitePlan, AnEffortsTimeIsSharedAndEachProblemHasAnEighthOfItAtLeast) {
  const double effort = *of_measure().budget.seconds;
  EXPECT_EQ(share_of_effort(of_measure(), {}, 1), effort);
  EXPECT_EQ(share_of_effort(of_measure(), {}, 4), effort / 4);
  EXPECT_EQ(share_of_effort(of_measure(), {}, 8), effort / 8);
  EXPECT_EQ(share_of_effort(of_measure(), {}, 50), effort / 8);
  EXPECT_EQ(share_of_effort(of_measure(), {.seconds = 10 * effort}, 4), 10 * effort / 4) << "a limit stretches it";
  EXPECT_EQ(share_of_effort(effort_plan(Effort::exhaustive), {}, 4), std::nullopt);
}

// With the share of eight problems or more, search and stages take at most a quarter of the searches of sessions alone.
TEST(SuitePlan, ConfirmingAndComparingTakeAsLongAsTheSearchAtMost) {
  const double effort = *of_measure().budget.seconds, share = *share_of_effort(of_measure(), {}, 8);
  const Protocol protocol = suite_protocol(of_measure(), {}, share);
  EXPECT_LE(share + protocol.confirm_seconds + protocol.final_seconds, effort / 4);
  const Protocol of_few = suite_protocol(of_measure(), {}, effort);
  EXPECT_EQ(of_few.final_seconds, Depth{}.final_seconds) << "no longer than a session alone";
  EXPECT_EQ(of_few.confirm_seconds, Depth{}.confirm_seconds);
  EXPECT_EQ(suite_protocol(of_measure(), {}, 0.1).final_seconds, 1);
}

TEST(SuitePlan, EachProblemIsSearchedOnceThenTheOneThatExpectsTheMost) {
  const SearchSoFar fresh;
  SearchSoFar tried{.slices = 1, .seconds = 10, .trials = 100, .before = 50, .log_gain = 0.2};
  EXPECT_EQ(next_problem(std::vector{tried, fresh, fresh}), 1u);
  SearchSoFar idle = tried;
  idle.log_gain = 0;
  EXPECT_EQ(next_problem(std::vector{idle, tried}), 1u) << "it still becomes better";
  SearchSoFar longer = tried;
  longer.seconds = 100;
  EXPECT_EQ(next_problem(std::vector{longer, tried}), 1u) << "the same gain in less time";
  SearchSoFar many = tried;
  many.before = 10;
  EXPECT_EQ(next_problem(std::vector{many, tried}), 1u) << "the same gain by fewer trials, as a share of all";
  tried.is_over = true;
  EXPECT_EQ(next_problem(std::vector{idle, tried}), 0u);
  EXPECT_EQ(next_problem(std::vector{tried, tried}), std::nullopt);
}

TEST(SuitePlan, AProblemWithoutGainComesBackAsTheOthersAreSearchedLonger) {
  SearchSoFar gains{.slices = 3, .seconds = 10, .trials = 100, .before = 50, .log_gain = 0.02}, idle = gains;
  idle.log_gain = 0;
  EXPECT_GT(expected_gain(gains), expected_gain(idle));
  gains.seconds = 100;
  EXPECT_LT(expected_gain(gains), expected_gain(idle));
}

TEST(SuitePlan, ASliceIsHalfOfAShareAndNoMoreThanIsLeft) {
  EXPECT_EQ(slice_of({120, {}}, {120, {}}, 8).seconds, 7.5);
  EXPECT_EQ(slice_of({120, {}}, {3, {}}, 8).seconds, 3);
  EXPECT_EQ(slice_of({120, {}}, {-1, {}}, 8).seconds, 0) << "the default is tried all the same";
  EXPECT_EQ(slice_of({2, {}}, {2, {}}, 8).seconds, 0.25) << "so that each problem has its part";
  EXPECT_EQ(slice_of({{}, 24}, {{}, 24}, 3).trials, 4);
  EXPECT_EQ(slice_of({{}, 3}, {{}, 1}, 3).trials, 1);
  EXPECT_FALSE(slice_of({}, {}, 3).seconds);
}

}  // namespace
}  // namespace attune
