// recall(): what is known of a problem, without measuring or compiling: the efforts estimate and wisdom_only.
#pragma once

#include "kernel/ladder.hpp"
#include "device/device.hpp"
#include "session/effort.hpp"

namespace attune {

// The best rung of the match ladder, with the reason; below the last one, the default configuration. `records`:
// WisdomStore::candidates(). `plan`: an effort that does not search. `device` is asked for its compiler's name where
// that decides between exact and stale; without a compiler the record counts as exact. Reads only, stores nothing.
// Throws Error where `plan` needs wisdom and there is none, or no configuration is legal.
Match recall(const EffortPlan& plan, const MatchRequest& request, std::span<const Record> records, Device& device);

}  // namespace attune
