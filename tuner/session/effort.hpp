// Efforts: the words of --effort. Each names a row of one table: a budget, a strategy and a depth of measuring. Plain
// values; any thread.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "core/record.hpp"
#include "measure/protocol.hpp"
#include "search/stop_rules.hpp"

namespace attune {

struct EffortPlan {
  std::string_view name;
  std::string_view summary;  // one line
  // The effort of the session and of its record. Nothing for an effort that does not search but shows what is known.
  std::optional<Effort> search;
  bool needs_wisdom = false;  // without a search: if nothing is known, ends in an error, not the default
  // Set for an effort that searches:
  std::string_view strategy;
  Budget budget;  // over all continuations; spending it finishes the session
  Depth depth;
};

// Returns the table, from the least effort to the most, wisdom_only last.
std::span<const EffortPlan> effort_plans() noexcept;
// Returns the row of this name. Throws UsageError that suggests the nearest word.
const EffortPlan& effort_plan(std::string_view name);
// Returns the row that searches with this effort. Throws UsageError for Effort::estimate, which searches nothing.
const EffortPlan& effort_plan(Effort effort);

// Returns how deeply a search of this effort measures within the user's own limit of seconds. The depth is that of the
// deepest effort, up to this one, whose whole budget is within the limit, or that of `measure` if there is none.
// Confirming and comparing take no longer than the search may take, or 1 s each if that is more. Without a limit,
// returns the effort's own depth.
Depth depth_within(const EffortPlan& plan, const std::optional<double>& seconds);

}  // namespace attune
