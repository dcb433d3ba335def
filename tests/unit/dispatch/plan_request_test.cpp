#include "dispatch/plan_request.hpp"

#include <gtest/gtest.h>

#include <unordered_map>

namespace attune {
namespace {

TEST(PlanRequest, IsFoundWithoutMakingAKey) {
  std::unordered_map<PlanRequest, int, PlanRequestHash, PlanRequestEqual> plans;
  plans[{"reduce", {{"n", 8}, {"T", "float"}}}] = 1;
  plans[{"reduce", {{"n", 8}, {"T", "double"}}}] = 2;
  plans[{"reduce", {}}] = 3;
  const Problem problem{{"n", 8}, {"T", "double"}};
  EXPECT_EQ(plans.find(PlanRequestView("reduce", problem))->second, 2);
  EXPECT_EQ(plans.find(PlanRequestView("axpy", problem)), plans.end());
  EXPECT_EQ(plans.find(PlanRequestView("reduce", Problem{{"n", 8}})), plans.end());
  EXPECT_EQ(plans.find(PlanRequestView("reduce", Problem{}))->second, 3);
}

TEST(PlanRequest, HashesTellNeighbouringSizesApart) {
  const PlanRequestHash hash;
  const Problem a{{"width", 1}, {"height", 2}}, b{{"width", 2}, {"height", 1}};
  EXPECT_NE(hash(PlanRequestView("k", a)), hash(PlanRequestView("k", b)));
  EXPECT_EQ(hash(PlanRequestView("k", a)), hash(PlanRequest{"k", a}));
}

}  // namespace
}  // namespace attune
