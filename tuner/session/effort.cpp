#include "session/effort.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "attune/error.hpp"
#include "base/near_name.hpp"

namespace attune {
namespace {

// The strategy of the efforts that cannot try everything.
constexpr std::string_view default_strategy = "auto";

// A GPU tries two to ten configurations per second. After two minutes these are some hundreds, with which the best
// strategies are within one per cent of the optimum of recorded spaces. After half an hour they are some thousands,
// which spaces of 10^5 and more configurations need.
constexpr double measure_seconds = 120;
constexpr double patient_seconds = 1800;

// Twice the finalists, because among more trials more are near the best. More rounds, too: if ratios are known to less
// than half of a tie with a leaner configuration, most ties are decided alike in every session.
constexpr Depth patient_depth = {.screen_samples = 5,
                                 .confirm_most = 256,
                                 .confirm_seconds = 60,
                                 .finalists = 16,
                                 .final_rounds_min = 60,
                                 .final_rounds_max = 30000,
                                 .final_seconds = 30,
                                 .settled_log_ratio = 0.001};

constexpr std::array<EffortPlan, 5> plans = {{
    {"estimate",
     "no measuring: what is known of the nearest problem or device, else the default",
     std::nullopt,
     false,
     "",
     {},
     {}},
    {"measure", "two minutes of search", Effort::measure, false, default_strategy, {.seconds = measure_seconds}, {}},
    {"patient",
     "half an hour of search, finalists compared longer",
     Effort::patient,
     false,
     default_strategy,
     {.seconds = patient_seconds},
     patient_depth},
    {"exhaustive",
     "every legal configuration, as long as it takes",
     Effort::exhaustive,
     false,
     "exhaustive",
     {},
     patient_depth},
    {"wisdom_only", "no measuring: what is known, and an error where nothing is", std::nullopt, true, "", {}, {}},
}};

// Comparing finalists for less time than this decides nothing.
constexpr double least_final_seconds = 1;

}  // namespace

std::span<const EffortPlan> effort_plans() noexcept { return plans; }

const EffortPlan& effort_plan(std::string_view name) {
  std::vector<std::string> names;
  for (const EffortPlan& plan : plans) {
    if (plan.name == name) return plan;
    names.emplace_back(plan.name);
  }
  throw UsageError("unknown effort `" + std::string(name) + "`" + suggestion(name, names) +
                   "; see: attune tune --help");
}

const EffortPlan& effort_plan(Effort effort) {
  for (const EffortPlan& plan : plans) {
    if (plan.search == effort) return plan;
  }
  throw UsageError("cannot search with effort `" + std::string(to_text(effort)) +
                   "`; use measure, patient or exhaustive");
}

Depth depth_within(const EffortPlan& plan, const std::optional<double>& seconds) {
  if (!seconds) return plan.depth;
  Depth depth;
  for (const EffortPlan& lesser : plans) {
    const bool fits = lesser.budget.seconds && *lesser.budget.seconds <= *seconds;
    if (lesser.search && fits && *lesser.search <= *plan.search) depth = lesser.depth;
  }
  const double most = std::max(*seconds, least_final_seconds);
  depth.confirm_seconds = std::min(depth.confirm_seconds, most);
  depth.final_seconds = std::min(depth.final_seconds, most);
  return depth;
}

}  // namespace attune
