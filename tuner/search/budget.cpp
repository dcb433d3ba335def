#include "search/budget.hpp"

#include <string>

#include "attune/error.hpp"

namespace attune {
namespace {

// A minute of random search sees 100 to 1,000 configurations on a GPU: within a few per cent of the best of most
// spaces.
constexpr double kMeasureSeconds = 60;

const EffortPlan kPlans[] = {
    {Effort::measure, {kMeasureSeconds, std::nullopt}, "random"},
    {Effort::exhaustive, {std::nullopt, std::nullopt}, "exhaustive"},
};

}  // namespace

const EffortPlan& effort_plan(Effort effort) {
  for (const EffortPlan& plan : kPlans)
    if (plan.effort == effort) return plan;
  throw UsageError("cannot tune with effort `" + std::string(to_text(effort)) + "`; use measure or exhaustive");
}

}  // namespace attune
