#include "session/effort.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "attune/error.hpp"
#include "attune/strategy.hpp"
#include "support/message_of.hpp"

namespace attune {
namespace {

TEST(Efforts, AreFiveWordsOfWhichThreeSearchUnderTheirOwnName) {
  std::vector<std::string> names;
  for (const EffortPlan& plan : effort_plans()) {
    names.emplace_back(plan.name);
    EXPECT_EQ(&effort_plan(plan.name), &plan);
    EXPECT_FALSE(plan.summary.empty()) << plan.name;
    EXPECT_EQ(plan.needs_wisdom, plan.name == "wisdom_only");
    EXPECT_EQ(plan.search.has_value(), plan.name != "estimate" && plan.name != "wisdom_only");
    if (!plan.search) continue;
    EXPECT_EQ(to_text(*plan.search), plan.name);
    EXPECT_EQ(&effort_plan(*plan.search), &plan);
    EXPECT_NO_THROW(check_strategy(plan.strategy)) << plan.name;
  }
  EXPECT_THAT(names, testing::ElementsAre("estimate", "measure", "patient", "exhaustive", "wisdom_only"));
  EXPECT_THROW(effort_plan(Effort::estimate), UsageError);
  EXPECT_THAT(message_of<UsageError>([] { effort_plan("pacient"); }), testing::HasSubstr("patient"));
}

TEST(Efforts, SpendMoreFromOneToTheNext) {
  const EffortPlan& measure = effort_plan(Effort::measure);
  const EffortPlan& patient = effort_plan(Effort::patient);
  const EffortPlan& exhaustive = effort_plan(Effort::exhaustive);
  EXPECT_LT(*measure.budget.seconds, *patient.budget.seconds);
  EXPECT_FALSE(exhaustive.budget.reached({.seconds = 1e9, .trials = 1'000'000'000}));
  EXPECT_LT(measure.depth.finalists, patient.depth.finalists);
  EXPECT_LT(measure.depth.final_seconds, patient.depth.final_seconds);
  EXPECT_LT(measure.depth.screen_samples, patient.depth.screen_samples);
  EXPECT_GT(measure.depth.settled_log_ratio, patient.depth.settled_log_ratio);
  EXPECT_EQ(patient.depth.finalists, exhaustive.depth.finalists);
}

TEST(Efforts, ATimeLimitWalksUpTheTableAndBoundsTheComparisonOfFinalists) {
  const EffortPlan& measure = effort_plan(Effort::measure);
  const EffortPlan& patient = effort_plan(Effort::patient);
  const EffortPlan& exhaustive = effort_plan(Effort::exhaustive);
  const int shallow = measure.depth.finalists, deep = patient.depth.finalists;
  EXPECT_EQ(depth_within(patient, std::nullopt).finalists, deep);
  EXPECT_EQ(depth_within(patient, 60).finalists, shallow);
  EXPECT_EQ(depth_within(patient, 3600).finalists, deep);
  EXPECT_EQ(depth_within(exhaustive, 600).finalists, shallow);
  EXPECT_EQ(depth_within(exhaustive, 3600).finalists, deep);
  EXPECT_EQ(depth_within(measure, 3600).finalists, shallow) << "no deeper than was asked for";
  EXPECT_EQ(depth_within(measure, 5).final_seconds, 5);
  EXPECT_EQ(depth_within(measure, 0.01).final_seconds, 1) << "less decides nothing";
  EXPECT_EQ(depth_within(measure, 600).final_seconds, measure.depth.final_seconds);
}

}  // namespace
}  // namespace attune
