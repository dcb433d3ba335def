// Budget: when a search ends. The efforts with their budgets. Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/record.hpp"

namespace attune {

struct Budget {
  std::optional<double> seconds;       // of searching, the final stage not counted; over all continuations
  std::optional<std::int64_t> trials;  // over all continuations
  bool spent(double used_seconds, std::int64_t used_trials) const noexcept {
    return (seconds && used_seconds >= *seconds) || (trials && used_trials >= *trials);
  }
};

struct EffortPlan {
  Effort effort;
  Budget budget;              // without options on the command line; reaching it finishes the session
  std::string_view strategy;  // the default one
};

// Throws UsageError for an effort that this version cannot tune with.
const EffortPlan& effort_plan(Effort effort);

}  // namespace attune
