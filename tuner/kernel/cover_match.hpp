// The rung `cover` of the match ladder: what a cover says of a problem. Pure; any thread.
#pragma once

#include <optional>
#include <span>

#include "core/cover.hpp"
#include "kernel/ladder.hpp"

namespace attune {

// Returns the match of the first of these covers, in the order of is_preferred(), that has an answer whose
// configuration can be used; nothing if none has. Code, contract, objective, regime and device class must be equal, and
// times must have the present meaning.
std::optional<GradedMatch> cover_match(const MatchRequest& request, std::span<const Cover> covers);

// Returns whether cover `a` comes before `b`: it is of the kernel's own name, then it is the newer one.
bool is_preferred(const Cover& a, const Cover& b, std::string_view kernel);

}  // namespace attune
