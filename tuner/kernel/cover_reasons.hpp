// Why a cover has no configuration for a request. Pure; any thread.
#pragma once

#include <string>

#include "core/cover.hpp"
#include "kernel/ladder.hpp"

namespace attune {

// Returns why cover_match() takes nothing from this cover; "" where it takes its answer.
std::string why_no_answer(const MatchRequest& request, const Cover& cover);

}  // namespace attune
