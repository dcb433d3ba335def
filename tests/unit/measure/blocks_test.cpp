// Rounds of several benches: what counts within a bench, what between benches, and who wins where benches differ.
#include "measure/blocks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "measure/final_stage.hpp"

namespace attune {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

const Protocol usual;

// Rounds of each bench in turn. times[b][f]: of finalist f on bench b.
FinalRounds in_turn(const RoundTimes& times, int of_each, double noise, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> scatter(0, noise);
  FinalRounds rounds;
  for (int r = 0; r < of_each; ++r)
    for (std::size_t bench = 0; bench < times.size(); ++bench) {
      std::vector<double>& round = rounds.times_ns.emplace_back(times[bench]);
      for (double& time : round) time *= std::exp(scatter(random));
      rounds.benches.push_back(bench);
    }
  rounds.values = rounds.times_ns;
  return rounds;
}

FinalDecision decided_on(const FinalRounds& rounds) {
  return decide({{"A=1", true, false, 40}, {"A=2", false, false, 30}, {"A=3", false, false, 20}}, rounds, usual);
}

TEST(Strata, AStatisticIsTakenWithinEachBench) {
  EXPECT_THAT(by_bench({1, 10, 2, 30, 3, 20}, {7, 2, 7, 2, 7, 2}),
              ElementsAre(ElementsAre(10, 30, 20), ElementsAre(1, 2, 3)));
  EXPECT_THAT(by_bench({3, 1}, {}), ElementsAre(ElementsAre(3, 1)));
  EXPECT_DOUBLE_EQ(median(Strata{{10, 30, 20, 20, 25, 15}, {1, 2, 3, 2, 1, 3}}), 11);
  EXPECT_DOUBLE_EQ(median(Strata{{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, {4, 4, 4, 4, 4, 4}}), 2) << "weights of samples";
}

// A bench that was lost after a round, or eight that had time for one round each.
TEST(Strata, OnesThatAreTooSmallForAWidthAreOneStratum) {
  const Strata of_one = {{1}, {2}, {3}, {4}, {5}, {6}, {7}, {9}};
  EXPECT_DOUBLE_EQ(median(of_one), 4.5);
  EXPECT_DOUBLE_EQ(median_interval(of_one).low, 1);
  EXPECT_DOUBLE_EQ(median_interval(of_one).high, 9);
  EXPECT_GT(expected_half_width(of_one), 1);
  const Strata with_one = {{1, 2, 3, 4, 5, 6}, {9}};
  EXPECT_DOUBLE_EQ(median(with_one), 4);
  EXPECT_DOUBLE_EQ(median_interval(with_one).high, 9);
}

// Two benches that lie apart: the interval is that of one bench, over the square root of two.
TEST(Strata, BenchesThatLieApartWidenNoInterval) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> scatter(0, 1);
  std::vector<double> one, both;
  Benches benches;
  for (std::size_t i = 0; i < 400; ++i) {
    one.push_back(scatter(random));
    both.push_back(one.back() + (i % 2 == 0 ? 100 : 0));
    benches.push_back(i % 2);
  }
  const Strata together = by_bench(both, benches);
  const Interval interval = median_interval(together), alone = median_interval(one);
  EXPECT_NEAR(interval.high - interval.low, alone.high - alone.low, 0.3 * (alone.high - alone.low));
  EXPECT_TRUE(interval.contains(50));
  EXPECT_NEAR(expected_half_width(together), expected_half_width(one), 0.3 * expected_half_width(one));
}

TEST(BoardsOfARecord, ThatAgreeMayBeOfUnequalSpeed) {
  const FinalDecision decision = decided_on(in_turn({{300, 200, 210}, {360, 240, 252}}, 30, 0.002, 1));
  EXPECT_EQ(decision.winner, 1u);
  EXPECT_FALSE(decision.boards_differ);
  EXPECT_EQ(decision.rounds_dropped, 0u) << "each bench is its own measure";
  EXPECT_NEAR(decision.median_ns, 220, 1);
  EXPECT_NEAR(decision.speedup, 1.5, 0.005);
  ASSERT_THAT(decision.boards, SizeIs(2));
  EXPECT_NEAR(decision.boards[0].median_ns, 200, 1);
  EXPECT_NEAR(decision.boards[1].median_ns, 240, 1);
  EXPECT_NEAR(decision.boards[1].speedup, 1.5, 0.005);
  EXPECT_EQ(decision.boards[1].rounds, 30);
}

// A half of one bench's rounds at another clock, as a whole. Nothing moves between finalists.
TEST(BoardsOfARecord, OneWithAStepInItsClockDiffersInNothing) {
  FinalRounds rounds = in_turn({{300, 200, 210}, {300, 200, 210}, {300, 200, 210}}, 30, 0.002, 2);
  for (std::size_t r = 63; r < 90; ++r)
    for (double& time : rounds.times_ns[r]) time *= rounds.benches[r] == 1 ? 1.08 : 1;
  rounds.values = rounds.times_ns;
  const FinalDecision decision = decided_on(rounds);
  EXPECT_FALSE(decision.boards_differ);
  EXPECT_EQ(decision.winner, 1u);
  EXPECT_EQ(decision.rounds_dropped, 9u) << "those of that bench";
  EXPECT_FALSE(decision.unstable);
  EXPECT_EQ(decision.boards.at(1).rounds, 21);
}

// The second is the fastest by far on the first bench, and loses 10 % on the other. The third loses 2 % at most.
TEST(BoardsOfARecord, WhereTheyDifferTheBestWorstCaseWins) {
  const FinalRounds rounds = in_turn({{300, 190, 193.8}, {300, 220, 200}}, 30, 0.002, 3);
  const FinalDecision decision = decided_on(rounds);
  EXPECT_TRUE(decision.boards_differ);
  EXPECT_EQ(decision.winner, 2u);
  const FinalRounds mostly = in_turn({{300, 180, 193.8}, {300, 202, 200}, {300, 180, 193.8}}, 30, 0.002, 3);
  EXPECT_EQ(best_worst_case({mostly.times_ns, mostly.benches}), 1u);
  EXPECT_TRUE(do_benches_differ({mostly.times_ns, mostly.benches}, 1, 2, usual)) << "7 % here, less than 0 there";
}

// The default loses less than a tie on every bench, and more than one on some by chance.
TEST(BoardsOfARecord, DoNotDifferWhereTheDefaultStaysByATie) {
  const RoundTimes times(8, {201.8, 200, 210});
  int differ = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) differ += decided_on(in_turn(times, 40, 0.007, seed)).boards_differ;
  EXPECT_LE(differ, 1);
}

TEST(BoardsOfARecord, OneThatWasLostAfterARoundDecidesNothing) {
  FinalRounds rounds = in_turn({{300, 200, 210}}, 12, 0.002, 5);
  rounds.times_ns.push_back({300, 260, 210});
  rounds.benches.push_back(1);
  EXPECT_EQ(best_worst_case({rounds.times_ns, rounds.benches}), 1u);
}

TEST(BoardsOfARecord, ThatPreferAnotherSurelyDiffer) {
  const FinalRounds rounds = in_turn({{300, 200, 210}, {309, 206, 200}}, 12, 0.002, 4);
  EXPECT_TRUE(do_benches_differ({rounds.times_ns, rounds.benches}, 1, 0, usual)) << "though 0 is the runner-up";
  const FinalRounds few = in_turn({{300, 200, 210}, {309, 206, 200}}, 10, 0.002, 4);
  EXPECT_FALSE(do_benches_differ({few.times_ns, few.benches}, 1, 0, usual)) << "too few to be sure";
  const FinalRounds tied = in_turn({{300, 200, 210}, {302.25, 201.5, 200}}, 100, 0.0005, 4);
  EXPECT_FALSE(do_benches_differ({tied.times_ns, tied.benches}, 1, 0, usual)) << "a tie";
}

// Eight benches and twelve finalists that are all the same, with much scatter.
TEST(BoardsOfARecord, DifferSeldomByChance) {
  const RoundTimes times(8, std::vector<double>(12, 200));
  int differ = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const FinalRounds rounds = in_turn(times, 16, 0.02, seed);
    const std::vector<std::size_t> order = by_median({rounds.times_ns, rounds.benches});
    differ += do_benches_differ({rounds.times_ns, rounds.benches}, order[0], order[1], usual);
  }
  EXPECT_LE(differ, 4);
}

TEST(RoundsOfSeveralBenches, AreLookedAtWhereverTheyPassALook) {
  EXPECT_TRUE(is_looked_at(40, usual));
  EXPECT_FALSE(is_looked_at(43, usual));
  EXPECT_TRUE(is_looked_at(43, usual, 4));
  EXPECT_FALSE(is_looked_at(43, usual, 3));
  int asked = 0;
  const auto half_width = [&] { return ++asked, 0.0; };
  EXPECT_TRUE(needs_another_round(43, 0, usual, half_width, 3));
  EXPECT_EQ(asked, 0);
  EXPECT_FALSE(needs_another_round(43, 0, usual, half_width, 4));
}

}  // namespace
}  // namespace attune
