// Efforts: the words of --effort, each a budget, a strategy and a depth of measuring. One table. Plain values.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "core/record.hpp"
#include "search/stop_rules.hpp"

namespace attune {

// How deeply a session measures: what an effort changes of the Protocol.
struct Depth {
  int screen_samples = 0;  // of every configuration that is worth them
  int confirm_most = 0;
  double confirm_seconds = 0;
  int finalists = 0;
  int final_rounds_min = 0, final_rounds_max = 0;
  double final_seconds = 0;
  double settled_log_ratio = 0;
};

struct EffortPlan {
  std::string_view name;
  std::string_view summary;  // one line
  // The effort of the session and of its record. Nothing: it does not search; what is known is shown.
  std::optional<Effort> search;
  bool needs_wisdom = false;  // without a search: where nothing is known, an error instead of the default configuration
  // Of an effort that searches:
  std::string_view strategy;
  Budget budget;  // over all continuations; spending it finishes the session
  Depth depth;
};

// From the least to the most, wisdom_only last.
std::span<const EffortPlan> effort_plans() noexcept;
// Throws UsageError with the nearest word.
const EffortPlan& effort_plan(std::string_view name);
// The row that searches with this effort. Throws UsageError for Effort::estimate, with which nothing is searched.
const EffortPlan& effort_plan(Effort effort);

// How deeply a search of this effort measures within the user's own time limit: walks up the table to the deepest
// effort whose whole budget is within the limit, this one at most, and compares finalists no longer than it may search.
// Without a limit: the effort's own depth.
Depth depth_within(const EffortPlan& plan, const std::optional<double>& seconds);

}  // namespace attune
