#include "search/stop_rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "attune/error.hpp"
#include "support/message_of.hpp"

namespace attune {
namespace {

using testing::ElementsAre;

TEST(StopRules, EachEndsASearchUnderItsOwnNameAndNoneBefore) {
  EXPECT_EQ((Budget{.seconds = 10}).reached({.seconds = 10}), Ending::time);
  EXPECT_EQ((Budget{.trials = 5}).reached({.trials = 5}), Ending::trials);
  EXPECT_EQ((Budget{.patience = 3}).reached({.trials = 9, .idle_trials = 3}), Ending::patience);
  EXPECT_EQ((Budget{.target = parse_target("1us")}).reached({.best_ns = 1000}), Ending::target);
  const Budget all{.seconds = 10, .trials = 5, .patience = 3, .target = parse_target("1us")};
  EXPECT_FALSE(all.reached({.seconds = 9.9, .trials = 4, .idle_trials = 2, .best_ns = 1001, .speedup = 9}));
  EXPECT_FALSE(all.reached({})) << "nothing measured yet is not 0 ns";
  EXPECT_FALSE(Budget{}.reached({.seconds = 1e9, .trials = 1 << 30, .idle_trials = 1 << 30, .best_ns = 1}));
}

TEST(StopRules, OfSeveralTheOneThatFinishesASessionIsNamed) {
  const Budget all{.seconds = 10, .trials = 5, .patience = 3, .target = parse_target("2x")};
  EXPECT_EQ(all.reached({.seconds = 10, .trials = 5, .idle_trials = 3, .best_ns = 7, .speedup = 2}), Ending::target);
  EXPECT_EQ(all.reached({.seconds = 10, .trials = 5, .idle_trials = 3, .best_ns = 7, .speedup = 1}), Ending::patience);
  EXPECT_EQ(all.reached({.seconds = 10, .trials = 5}), Ending::trials);
}

TEST(StopRules, FourEndingsFinishASession) {
  std::vector<Ending> finishing;
  for (int i = 0; i <= static_cast<int>(Ending::estimated); ++i)
    if (finishes(static_cast<Ending>(i))) finishing.push_back(static_cast<Ending>(i));
  EXPECT_THAT(finishing, ElementsAre(Ending::everything_tried, Ending::effort_spent, Ending::patience, Ending::target));
}

TEST(Targets, AreTimesOrRatiosWrittenAsTheyAreRead) {
  using Kind = Target::Kind;
  for (const auto& [text, target] : {std::pair<const char*, Target>{"1.2ms", {Kind::time, 1.2e6}},
                                     {"35us", {Kind::time, 35e3}},
                                     {"800ns", {Kind::time, 800}},
                                     {"2s", {Kind::time, 2e9}},
                                     {"2.5x", {Kind::speedup, 2.5}}}) {
    EXPECT_EQ(parse_target(text), target);
    EXPECT_EQ(to_text(target), text);
  }
  for (const char* const text : {"", "2", "x", "fast", "-1ms", "0x", "0ms", "inf ms", "infms", "nanx", "1 ms ", "2xx"})
    EXPECT_THAT(message_of<UsageError>([&] { parse_target(text); }),
                testing::AllOf(testing::HasSubstr("1.2ms"), testing::HasSubstr("2x")))
        << text;
}

TEST(Targets, ARatioIsNotMetWithoutADefaultToCompareWith) {
  EXPECT_TRUE(parse_target("2x").met(100, 2));
  EXPECT_FALSE(parse_target("2x").met(100, 1.99));
  EXPECT_FALSE(parse_target("2x").met(100, 0));
  EXPECT_TRUE(parse_target("100ns").met(100, 0));
}

// The trials that count as idle after each of these objectives; 0 is a failure.
std::vector<int> idle_after(const std::vector<double>& objectives, std::optional<double> known = {}) {
  Improvement improvement;
  if (known) improvement.know(*known);
  std::vector<int> idle;
  for (const double objective : objectives) {
    improvement.see(objective);
    idle.push_back(improvement.idle_trials());
  }
  return idle;
}

TEST(Improvement, OfOnePerCentInOneStepOrManyStartsTheCountAnew) {
  EXPECT_THAT(idle_after({100, 99.5, 200, 0, 99}), ElementsAre(0, 1, 2, 3, 0));
  EXPECT_THAT(idle_after({100, 99.6, 99.2, 98.9}), ElementsAre(0, 1, 2, 0));
  EXPECT_THAT(idle_after({0, 0, 0, 5, 0}), ElementsAre(0, 0, 0, 0, 1)) << "nothing counts while nothing survives";
}

TEST(Improvement, WhatIsKnownFromElsewhereIsToBeImprovedOnButNotCounted) {
  EXPECT_THAT(idle_after({100, 99}, 100), ElementsAre(1, 0));
  Improvement improvement;
  improvement.know(100);
  improvement.know(150);
  improvement.see(100);
  EXPECT_EQ(improvement.idle_trials(), 1);
  improvement.know(50);
  EXPECT_EQ(improvement.idle_trials(), 0);
}

}  // namespace
}  // namespace attune
