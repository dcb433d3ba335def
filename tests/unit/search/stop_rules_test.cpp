#include "search/stop_rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "attune/error.hpp"

namespace attune {
namespace {

using testing::HasSubstr;

TEST(StopRules, EachEndsASearchUnderItsOwnName) {
  EXPECT_EQ((Budget{.seconds = 10}).reached({.seconds = 10}), StopReason::time);
  EXPECT_EQ((Budget{.trials = 5}).reached({.trials = 5}), StopReason::trials);
  EXPECT_EQ((Budget{.patience = 3}).reached({.trials = 9, .idle_trials = 3}), StopReason::patience);
  EXPECT_EQ((Budget{.target = parse_target("1us")}).reached({.best_ns = 1000}), StopReason::target);
}

TEST(StopRules, NoneEndsItBefore) {
  const Budget all{.seconds = 10, .trials = 5, .patience = 3, .target = parse_target("1us")};
  EXPECT_FALSE(all.reached({.seconds = 9.9, .trials = 4, .idle_trials = 2, .best_ns = 1001, .speedup = 9}));
  EXPECT_FALSE(all.reached({})) << "nothing measured yet is not 0 ns";
  EXPECT_FALSE(Budget{}.reached({.seconds = 1e9, .trials = 1 << 30, .idle_trials = 1 << 30, .best_ns = 1}));
}

TEST(StopRules, OfSeveralTheOneThatFinishesASessionIsNamed) {
  const Budget all{.seconds = 10, .trials = 5, .patience = 3, .target = parse_target("2x")};
  EXPECT_EQ(all.reached({.seconds = 10, .trials = 5, .idle_trials = 3, .best_ns = 7, .speedup = 2}),
            StopReason::target);
  EXPECT_EQ(all.reached({.seconds = 10, .trials = 5, .idle_trials = 3, .best_ns = 7, .speedup = 1}),
            StopReason::patience);
  EXPECT_EQ(all.reached({.seconds = 10, .trials = 5}), StopReason::trials);
}

TEST(StopRules, EveryReasonHasItsOwnText) {
  std::set<std::string_view> texts;
  for (int i = 0; i <= static_cast<int>(StopReason::hopeless); ++i) texts.insert(to_text(static_cast<StopReason>(i)));
  EXPECT_EQ(texts.size(), 8u);
  EXPECT_EQ(to_text(StopReason::patience), "patience");
  EXPECT_EQ(to_text(StopReason::hopeless), "hopeless");
}

TEST(Targets, AreTimesOrRatios) {
  EXPECT_EQ(parse_target("1.2ms"), (Target{Target::Kind::time, 1.2e6}));
  EXPECT_EQ(parse_target("35us"), (Target{Target::Kind::time, 35e3}));
  EXPECT_EQ(parse_target("800ns"), (Target{Target::Kind::time, 800}));
  EXPECT_EQ(parse_target("2s"), (Target{Target::Kind::time, 2e9}));
  EXPECT_EQ(parse_target("2.5x"), (Target{Target::Kind::speedup, 2.5}));
}

TEST(Targets, AnythingElseIsRefusedWithWhatItTakes) {
  for (const char* const text :
       {"", "2", "x", "fast", "-1ms", "0x", "0ms", "inf ms", "infms", "nanx", "1 ms ", "2xx"}) {
    try {
      parse_target(text);
      FAIL() << "accepted " << text;
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), HasSubstr("1.2ms"));
      EXPECT_THAT(error.what(), HasSubstr("2x"));
    }
  }
}

TEST(Targets, AreWrittenAsTheyAreRead) {
  for (const char* const text : {"1.2ms", "35us", "800ns", "2s", "2.5x"}) EXPECT_EQ(to_text(parse_target(text)), text);
}

TEST(Targets, ARatioIsNotMetWithoutADefaultToCompareWith) {
  EXPECT_TRUE(parse_target("2x").met(100, 2));
  EXPECT_FALSE(parse_target("2x").met(100, 1.99));
  EXPECT_FALSE(parse_target("2x").met(100, 0));
  EXPECT_TRUE(parse_target("100ns").met(100, 0));
}

TEST(Improvement, OfOnePerCentStartsTheCountAnew) {
  Improvement improvement;
  improvement.see(100);
  EXPECT_EQ(improvement.idle_trials(), 0);
  improvement.see(99.5);
  improvement.see(200);
  improvement.see(0);  // a failure is a trial too
  EXPECT_EQ(improvement.idle_trials(), 3);
  improvement.see(99);
  EXPECT_EQ(improvement.idle_trials(), 0);
}

TEST(Improvement, ManySmallStepsMakeOne) {
  Improvement improvement;
  improvement.see(100);
  improvement.see(99.6);
  improvement.see(99.2);
  EXPECT_EQ(improvement.idle_trials(), 2);
  improvement.see(98.9);
  EXPECT_EQ(improvement.idle_trials(), 0);
}

TEST(Improvement, CountsNothingWhileNothingSurvives) {
  Improvement improvement;
  for (int i = 0; i < 10; ++i) improvement.see(0);
  EXPECT_EQ(improvement.idle_trials(), 0);
  improvement.see(5);
  improvement.see(0);
  EXPECT_EQ(improvement.idle_trials(), 1);
}

TEST(Improvement, WhatIsKnownFromElsewhereIsToBeImprovedOnButNotCounted) {
  Improvement improvement;
  improvement.know(100);
  improvement.know(150);
  EXPECT_EQ(improvement.idle_trials(), 0);
  improvement.see(100);
  EXPECT_EQ(improvement.idle_trials(), 1);
  improvement.know(50);
  EXPECT_EQ(improvement.idle_trials(), 0);
}

}  // namespace
}  // namespace attune
