// The errors of a planner that cannot make a plan. They name the kernel, the problem and the next step.
#pragma once

#include <string>

#include "attune/dispatcher.hpp"
#include "dispatch/planner.hpp"

namespace attune {

// Throws Error that names the rule that the first fall-back breaks, or the `deterministic` expression that does not
// hold.
[[noreturn]] void fail_without_any(const MatchRequest& request);

// Returns the error of a legal default that cannot be used.
Error default_failure(const MatchRequest& request, const GradedMatch& candidate, const Status& status);

// Returns the warning of a record whose configuration cannot be used. It has the first line of the detail, which may be
// a log of thousands of lines.
std::string unusable_record(const MatchRequest& request, const GradedMatch& candidate, const Status& status);

// Returns the exception for a plan whose image is neither loaded nor cached.
NotPrepared not_prepared(const MatchRequest& request);

// Throws Error for a plan that no other configuration may serve: a deterministic one whose configuration fails now and
// may not later, or that of a given configuration. An ok status means that its image is not prepared: NotPrepared.
[[noreturn]] void fail_for_now(const MatchRequest& request, const GradedMatch& candidate, const Status& status);

}  // namespace attune
