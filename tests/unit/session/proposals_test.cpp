// What a session tries next, with strategies that behave and strategies that do not.
#include "session/proposals.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "attune/error.hpp"

namespace attune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Asks what a function says; remembers what it was told.
class Scripted final : public Strategy {
 public:
  explicit Scripted(std::function<std::optional<Row>()> next) : next_(std::move(next)) {}
  std::optional<Row> ask() override { return next_(); }
  void tell(RowView row, const Outcome& outcome) override { told.push_back({Row(row.begin(), row.end()), outcome}); }
  std::vector<std::pair<Row, Outcome>> told;

 private:
  std::function<std::optional<Row>()> next_;
};

std::function<std::optional<Row>()> in_turn(std::vector<Row> rows) {
  return [rows, next = std::size_t{0}]() mutable {
    return next < rows.size() ? std::optional(rows[next++]) : std::nullopt;
  };
}

class ProposalsTest : public testing::Test {
 protected:
  std::vector<Row> all(Proposals& proposals) {
    std::vector<Row> rows;
    while (const auto row = proposals.next()) rows.push_back(*row);
    return rows;
  }
  const SearchSpace space_{{{"A", {1, 2, 3, 4}}}, {"A != 3"}};
  Candidates candidates_{space_};
  const Outcome good_{true, 5, 0};
};

TEST_F(ProposalsTest, BeginWithTheWarmStart) {
  Scripted strategy(in_turn({{3}}));
  Proposals proposals(space_, strategy, "scripted", candidates_);
  EXPECT_EQ(proposals.warm_start({{1}, {0}}), 2u);
  EXPECT_THAT(all(proposals), ElementsAre(Row{1}, Row{0}, Row{3}));
}

TEST_F(ProposalsTest, WhatIsAddedLaterComesLaterAndOnce) {
  Scripted strategy(in_turn({{0}}));
  Proposals proposals(space_, strategy, "scripted", candidates_);
  EXPECT_EQ(proposals.warm_start({{3}}), 1u);
  EXPECT_EQ(proposals.warm_start({{3}, {1}}), 1u);
  EXPECT_THAT(all(proposals), ElementsAre(Row{3}, Row{1}, Row{0}));
}

TEST_F(ProposalsTest, WhatWasTriedOrIsUnderWayIsNoWarmStart) {
  Scripted strategy(in_turn({}));
  Proposals proposals(space_, strategy, "scripted", candidates_);
  proposals.begin(Row{0});
  proposals.tell(Row{1}, good_);
  EXPECT_EQ(proposals.warm_start({{0}, {1}, {3}}), 1u);
  EXPECT_THAT(all(proposals), ElementsAre(Row{3}));
}

TEST_F(ProposalsTest, AreNeverTheSameTwice) {
  Scripted strategy(in_turn({{1}, {0}, {3}}));
  Proposals proposals(space_, strategy, "scripted", candidates_);
  proposals.warm_start({{1}});
  EXPECT_EQ(proposals.next(), Row{1});
  EXPECT_EQ(proposals.next(), std::nullopt) << "the strategy asks for what is being compiled: wait for its outcome";
  proposals.tell(Row{1}, good_);
  EXPECT_THAT(all(proposals), ElementsAre(Row{0}, Row{3}));
}

TEST_F(ProposalsTest, TheStrategyIsToldOfAllWhoeverProposedThem) {
  Scripted strategy(in_turn({{3}}));
  Proposals proposals(space_, strategy, "scripted", candidates_);
  proposals.begin(Row{0});
  proposals.warm_start({{1}});
  all(proposals);
  for (const Row& row : {Row{3}, Row{0}, Row{1}}) proposals.tell(row, good_);
  ASSERT_EQ(strategy.told.size(), 3u);
  EXPECT_EQ(strategy.told[1].first, Row{0});
  EXPECT_EQ(strategy.told[1].second.objective, 5);
}

TEST_F(ProposalsTest, AStrategyThatAsksForWhatWasTriedIsToldOfItAgain) {
  Scripted strategy(in_turn({{0}, {1}}));
  Proposals proposals(space_, strategy, "scripted", candidates_);
  proposals.tell(Row{0}, good_);
  EXPECT_EQ(proposals.next(), Row{1});
  ASSERT_EQ(strategy.told.size(), 2u);
  EXPECT_EQ(strategy.told[1].first, Row{0});
  EXPECT_EQ(strategy.told[1].second.objective, 5);
}

TEST_F(ProposalsTest, AStrategyThatRepeatsItselfForEverIsAnErrorThatNamesIt) {
  Scripted strategy([] { return Row{0}; });
  Proposals proposals(space_, strategy, "stubborn:x=1", candidates_);
  EXPECT_EQ(proposals.next(), Row{0});
  EXPECT_EQ(proposals.next(), std::nullopt);
  proposals.tell(Row{0}, good_);
  try {
    proposals.next();
    FAIL() << "proposed";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("strategy `stubborn:x=1` proposed known configurations 1000 times in a row"));
  }
  EXPECT_FALSE(proposals.is_exhausted()) << "and no error where only that is asked";
}

TEST_F(ProposalsTest, AStrategyWithoutMemoryEndsOnceEverythingIsTried) {
  std::mt19937_64 random(1);
  Scripted strategy([&] {
    Row row(1);
    space_.sample(random, row);
    return row;
  });
  Proposals proposals(space_, strategy, "forgetful", candidates_);
  std::size_t tried = 0;
  for (; tried < 10; ++tried) {
    const auto row = proposals.next();
    if (!row) break;
    proposals.tell(*row, good_);
  }
  EXPECT_EQ(tried, 3u);
  EXPECT_TRUE(proposals.is_exhausted());
}

TEST_F(ProposalsTest, WhatIsNotLegalIsAnErrorThatNamesTheStrategy) {
  for (const Row& wrong : {Row{2}, Row{4}, Row{}, Row{0, 0}}) {
    Scripted strategy([&] { return wrong; });
    Proposals proposals(space_, strategy, "lawless", candidates_);
    try {
      proposals.next();
      FAIL() << "proposed";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("`lawless` proposed a configuration that is not legal"));
    }
  }
}

TEST_F(ProposalsTest, AreExhaustedOnlyWhenNothingIsUnderWay) {
  Scripted strategy(in_turn({{0}}));
  Proposals proposals(space_, strategy, "scripted", candidates_);
  proposals.next();
  EXPECT_FALSE(proposals.is_exhausted());
  proposals.tell(Row{0}, good_);
  EXPECT_TRUE(proposals.is_exhausted()) << "the strategy has nothing left, though the space has";
}

TEST_F(ProposalsTest, AWarmStartThatIsLeftIsSomethingLeft) {
  Scripted strategy(in_turn({}));
  Proposals proposals(space_, strategy, "scripted", candidates_);
  proposals.warm_start({{1}});
  EXPECT_FALSE(proposals.is_exhausted());
}

}  // namespace
}  // namespace attune
