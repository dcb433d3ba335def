#include "search/budget.hpp"

#include <gtest/gtest.h>

#include "attune/error.hpp"

namespace attune {
namespace {

TEST(Budget, IsSpentByTimeOrByTrials) {
  const Budget budget{10, 5};
  EXPECT_FALSE(budget.spent(9.9, 4));
  EXPECT_TRUE(budget.spent(10, 0));
  EXPECT_TRUE(budget.spent(0, 5));
  EXPECT_FALSE(Budget{}.spent(1e9, 1'000'000));
}

TEST(Efforts, ExhaustiveHasNoLimitAndMeasureHas) {
  EXPECT_FALSE(effort_plan(Effort::exhaustive).budget.spent(1e9, 1'000'000));
  EXPECT_TRUE(effort_plan(Effort::measure).budget.spent(1e9, 0));
}

TEST(Efforts, OneThatCannotTuneIsRefused) { EXPECT_THROW(effort_plan(Effort::estimate), UsageError); }

}  // namespace
}  // namespace attune
