#include "measure/confirm_stage.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace attune {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Protocol with_finalists(int finalists) {
  Protocol protocol;
  protocol.finalists = finalists;
  return protocol;
}

// Scores are times in units of 0.1 ms.
std::vector<std::size_t> to_confirm(const std::vector<double>& scores, const Protocol& protocol, double unit_ns = 1e5) {
  std::vector<double> sample_ns;
  for (const double score : scores) sample_ns.push_back(score * unit_ns);
  return attune::to_confirm(scores, sample_ns, protocol);
}

TEST(ConfirmStage, ThoseNearTheBestAreConfirmedBestFirst) {
  EXPECT_THAT(to_confirm({1.2, 0.5, 0.62, 0.63, 0.55}, with_finalists(2)), ElementsAre(1, 4, 2));
}

TEST(ConfirmStage, NobodyIsWhenTheFinalStageTakesThemAll) {
  EXPECT_THAT(to_confirm({0.5, 0.51, 0.52}, with_finalists(3)), IsEmpty());
  EXPECT_THAT(to_confirm({}, with_finalists(3)), IsEmpty());
}

TEST(ConfirmStage, NumberAndTimeAreBounded) {
  const std::vector<double> scores(1000, 1.0);
  EXPECT_EQ(to_confirm(scores, Protocol{}).size(), 128u);
  // 16.5 launches of 10 ms each, a quarter of the reference's among them: 60 in 10 s.
  EXPECT_EQ(to_confirm(scores, Protocol{}, 1e7).size(), 60u);
  EXPECT_THAT(to_confirm(scores, Protocol{}, 1e9), IsEmpty()) << "less than the finalists";
}

TEST(ConfirmStage, OnesWhoseIntervalLiesAboveTheBestsAreDropped) {
  const Confirmations ratios{
      {1.00, 1.01, 0.99, 1.00, 1.02}, {1.03, 1.04, 1.035, 1.03, 1.04}, {1.01, 1.03, 1.02, 1.04, 1.0}};
  EXPECT_THAT(confirmed(ratios, Protocol{}), ElementsAre(0, 2));
}

TEST(ConfirmStage, ScatterDoesNotKeepWhatIsFarBehind) {
  const Confirmations ratios{
      {1.00, 1.01, 0.99, 1.30, 0.98}, {1.10, 0.97, 1.12, 1.2, 1.08}, {0.99, 1.0, 1.4, 0.98, 1.02}};
  EXPECT_THAT(confirmed(ratios, Protocol{}), ElementsAre(0, 2));
}

TEST(ConfirmStage, EachVisitIsToTheBetterHalfUntilTheFinalistsAreLeft) {
  const Protocol protocol = with_finalists(8);
  EXPECT_EQ(next_visit(0, 128, 128, protocol), 64u);
  EXPECT_EQ(next_visit(1, 64, 60, protocol), 32u);
  EXPECT_EQ(next_visit(2, 32, 32, protocol), 16u);
  EXPECT_EQ(next_visit(3, 16, 16, protocol), 0u);
}

TEST(ConfirmStage, AtLeastTwoVisitsAreMade) {
  const Protocol protocol = with_finalists(8);
  EXPECT_EQ(next_visit(0, 9, 9, protocol), 8u);
  EXPECT_EQ(next_visit(0, 128, 3, protocol), 3u);
  EXPECT_EQ(next_visit(1, 8, 8, protocol), 0u);
  EXPECT_EQ(next_visit(1, 128, 12, protocol), 12u) << "who stayed are more than finalists";
  EXPECT_EQ(next_visit(0, 128, 0, protocol), 0u);
}

TEST(ConfirmStage, WhatHasNoSamplesIsOut) {
  EXPECT_THAT(confirmed({{}, {1.0, 1.1}, {}}, Protocol{}), ElementsAre(1));
  EXPECT_THAT(confirmed({{}, {}}, Protocol{}), IsEmpty());
}

}  // namespace
}  // namespace attune
