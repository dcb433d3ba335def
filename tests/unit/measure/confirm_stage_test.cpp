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

constexpr double kAnchorNs = 1e5;

TEST(ConfirmStage, ThoseNearTheBestAreConfirmedBestFirst) {
  EXPECT_THAT(to_confirm(std::vector{1.2, 0.5, 0.62, 0.63, 0.55}, kAnchorNs, with_finalists(2)), ElementsAre(1, 4, 2));
}

TEST(ConfirmStage, NobodyIsWhenTheFinalStageTakesThemAll) {
  EXPECT_THAT(to_confirm(std::vector{0.5, 0.51, 0.52}, kAnchorNs, with_finalists(3)), IsEmpty());
  EXPECT_THAT(to_confirm({}, kAnchorNs, with_finalists(3)), IsEmpty());
}

TEST(ConfirmStage, NumberAndTimeAreBounded) {
  const std::vector<double> scores(1000, 1.0);
  EXPECT_EQ(to_confirm(scores, kAnchorNs, Protocol{}).size(), 128u);
  // 24 launches of 10 ms each: 41 in 10 s.
  EXPECT_EQ(to_confirm(scores, 1e7, Protocol{}).size(), 41u);
  EXPECT_THAT(to_confirm(scores, 1e9, Protocol{}), IsEmpty()) << "less than the finalists";
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

TEST(ConfirmStage, WhatHasNoSamplesIsOut) {
  EXPECT_THAT(confirmed({{}, {1.0, 1.1}, {}}, Protocol{}), ElementsAre(1));
  EXPECT_THAT(confirmed({{}, {}}, Protocol{}), IsEmpty());
}

}  // namespace
}  // namespace attune
