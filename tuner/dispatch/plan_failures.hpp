// The errors of a planner that cannot make a plan. They name the kernel, the problem and the next step.
#pragma once

#include <string_view>

#include "attune/dispatcher.hpp"
#include "dispatch/planner.hpp"

namespace attune {

// Throws Error that names the rule that the first fall-back breaks, or the `deterministic` expression that does not
// hold.
[[noreturn]] void fail_without_any(const MatchRequest& request);

// Throws Error for a legal default that cannot be used.
[[noreturn]] void fail_of_default(const MatchRequest& request, const Configuration& configuration,
                                  const Status& status);

// Returns the exception for a plan whose image is neither loaded nor cached.
NotPrepared not_prepared(const MatchRequest& request);

// Throws Error for a deterministic plan whose configuration fails now and may not later.
[[noreturn]] void fail_for_now(const MatchRequest& request, const Configuration& configuration,
                               std::string_view detail);

}  // namespace attune
