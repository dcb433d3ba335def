#include "measure/confirm_stage.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

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

TEST(ConfirmStage, ThoseNearTheBestAreConfirmedBestFirstUnlessTheFinalStageTakesThemAll) {
  EXPECT_THAT(to_confirm({1.2, 0.5, 0.62, 0.63, 0.55}, with_finalists(2)), ElementsAre(1, 4, 2));
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

TEST(ConfirmStage, EachVisitIsToTheBetterHalfAndAtLeastTwoAreMade) {
  const Protocol protocol = with_finalists(8);
  EXPECT_EQ(next_visit(0, 128, protocol), 64u);
  EXPECT_EQ(next_visit(1, 64, protocol), 32u);
  EXPECT_EQ(next_visit(2, 32, protocol), 16u);
  EXPECT_EQ(next_visit(3, 16, protocol), 0u);
  EXPECT_EQ(next_visit(0, 9, protocol), 8u);
  EXPECT_EQ(next_visit(0, 3, protocol), 3u) << "the others failed";
  EXPECT_EQ(next_visit(1, 8, protocol), 0u);
  EXPECT_EQ(next_visit(0, 0, protocol), 0u);
}

TEST(ConfirmStage, TheMedianOfAllSamplesRanksAndWhatHasNoneIsOut) {
  EXPECT_THAT(by_confirmation({{1.02, 1.01, 1.03}, {1.3, 0.99, 1.0}, {}, {1.01, 1.01}}), ElementsAre(1, 3, 0));
  EXPECT_THAT(by_confirmation({{}, {}}), IsEmpty());
}

// Many that are close, whose samples scatter by more than they differ: the best of them must be among the finalists.
TEST(ConfirmStage, TheBestOfManyThatAreCloseIsAmongTheFinalists) {
  const Protocol protocol;
  int lost = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> scatter(0, 0.018);
    const auto sample = [&](double time) { return time * std::exp(scatter(random)); };
    Confirmations ratios(128);
    std::vector<std::size_t> whom(ratios.size());
    std::iota(whom.begin(), whom.end(), std::size_t{0});
    for (int visit = 0;; ++visit) {
      for (const std::size_t i : whom)
        for (int k = 0; k < protocol.confirm_samples; ++k)
          ratios[i].push_back(sample(1 + 0.0015 * static_cast<double>(i)) / sample(1));
      whom = by_confirmation(ratios);
      const std::size_t next = next_visit(visit, whom.size(), protocol);
      if (next == 0) break;
      for (std::size_t k = next; k < whom.size(); ++k) ratios[whom[k]].clear();
      whom.resize(next);
    }
    const auto finalists = whom.begin() + protocol.finalists;
    lost += std::none_of(whom.begin(), finalists, [](std::size_t i) { return i <= 1; });
  }
  EXPECT_LE(lost, 4) << "neither the best nor what is 0.15 % behind it, of 200";
}

}  // namespace
}  // namespace attune
