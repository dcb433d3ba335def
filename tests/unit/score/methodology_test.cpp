#include "score/methodology.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "unit/score/small_recording.hpp"

namespace attune {
namespace {

class Methodology : public testing::Test {
 protected:
  // A repeat that finds `best` at `cost`, for each.
  static Visits visits(const std::vector<std::pair<double, double>>& found) {
    Visits list;
    for (const auto& [cost, best] : found) list.push_back({0, cost, best});
    return list;
  }
  double at(const Curve& curve, double cost) const {
    const std::vector<double> points = space_.span->points();
    const auto place = std::lower_bound(points.begin(), points.end(), cost - 1e-9);
    return curve[static_cast<std::size_t>(place - points.begin())];
  }
  double score_of(const Curve& curve) const { return score({performance(space_, curve, random_curve(space_))}).score; }

  const Recording recording_ = twenty_one();
  const SpaceStatistics space_ = space_statistics(RecordedSpace(recording_));
};

TEST_F(Methodology, RandomSearchIsTheExpectedRankByCost) {
  const Curve curve = random_curve(space_);
  ASSERT_EQ(curve.size(), 1000u);
  EXPECT_DOUBLE_EQ(curve.front(), 10) << "2 s: one draw at 3 s, rank 11 of 21 from the worst";
  EXPECT_DOUBLE_EQ(curve.back(), 3) << "14 s: 5 draws, rank 18";
  EXPECT_TRUE(std::is_sorted(curve.rbegin(), curve.rend()));
  EXPECT_NEAR(curve[250], 6, 0.05) << "2 draws, rank 15: a quarter of the way from one draw to five";
}

TEST_F(Methodology, OneRepeatIsJoinedByLinesBetweenRanks) {
  const Curve curve = strategy_curve(space_, {visits({{2, 21}, {4, 11}, {6, 1}, {15.5, 1}})}, std::nullopt);
  EXPECT_EQ(curve[0], 21);
  EXPECT_EQ(curve[111], 14) << "at 3.33 s rank 20 - 10 * 0.667 = 13.3";
  EXPECT_EQ(curve[333], 1);
  EXPECT_EQ(curve.back(), 1);
}

TEST_F(Methodology, VisitsBeforeAnythingValidOrBeyondTheBudgetCountForNothing) {
  const auto curve = [&](const std::vector<std::pair<double, double>>& found) {
    return strategy_curve(space_, {visits(found)}, std::nullopt);
  };
  EXPECT_EQ(curve({{2, 0}, {4, 0}, {6, 5}, {15.5, 5}}), curve({{6, 5}, {15.5, 5}}));
  // 15.4 s are spent by the visit at 15.5 s, which is the last.
  EXPECT_EQ(curve({{4, 9}, {15.5, 9}, {16, 1}, {20, 1}}), curve({{4, 9}, {15.5, 9}}));
}

TEST_F(Methodology, TheCurveFreezesWhereMostRepeatsHaveEnded) {
  const Visits brief = visits({{2, 11}, {4, 11}});
  const std::vector<Visits> repeats = {brief, brief, brief, visits({{2, 11}, {8, 11}}), visits({{2, 11}, {14, 1}})};
  const Curve curve = strategy_curve(space_, repeats, std::nullopt);
  EXPECT_EQ(at(curve, 8), 11);
  EXPECT_EQ(curve.back(), 11) << "one repeat in five found the optimum, beyond the freezing at 8 s";
}

TEST_F(Methodology, TheOptimumAtOnceScoresOneRandomSearchZeroAndNothingTheWorst) {
  const std::vector<Visits> repeats(5, visits({{2, 1}, {15.5, 1}}));
  for (const auto& bag : {std::optional<Bag>(), std::optional(Bag{7})}) {
    const Score result = score({performance(space_, strategy_curve(space_, repeats, bag), random_curve(space_))});
    EXPECT_DOUBLE_EQ(result.score, 1);
    EXPECT_DOUBLE_EQ(result.error, 0);
  }
  EXPECT_EQ(score_of(random_curve(space_)), 0);
  EXPECT_LT(score_of(Curve(1000, 21.0)), -1);
  for (const Visits& nothing : {Visits(), visits({{2, 0}, {15.5, 0}})})
    EXPECT_EQ(strategy_curve(space_, {nothing}, Bag{1}), Curve(1000, 21.0));
}

TEST_F(Methodology, ABagIsItsSeedsAffairAlone) {
  std::vector<Visits> repeats;
  for (int i = 0; i < 9; ++i)
    repeats.push_back(visits({{2.0 + i * 0.3, 20.0 - i}, {5.0 + i * 0.2, 12.0 - i}, {12.0 + i * 0.1, 3}, {15.5, 2}}));
  const Curve first = strategy_curve(space_, repeats, Bag{1});
  EXPECT_EQ(strategy_curve(space_, repeats, Bag{1}), first);
  EXPECT_NE(strategy_curve(space_, repeats, Bag{2}), first);
  EXPECT_TRUE(std::is_sorted(first.rbegin(), first.rend()));
}

TEST(Scores, AreMeansOverSpacesThenOverPointsAndFinite) {
  const Score result = score({{0, 1}, {1, 1}});
  EXPECT_DOUBLE_EQ(result.score, 0.75);
  EXPECT_DOUBLE_EQ(result.error, 0.25) << "of 0.5 and 1";
  const Recording recording = small_recording({4, 3, 2, 1});
  const SpaceStatistics space = space_statistics(RecordedSpace(recording));
  EXPECT_EQ(performance(space, {1, 2}, {1, 1}), (Curve{0, -1})) << "where random search is at the optimum";
}

}  // namespace
}  // namespace attune
