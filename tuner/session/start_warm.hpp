// What a session takes over before its first proposal: steps of ladders, records, and trials of other sessions.
#pragma once

#include <cstddef>

#include "db/wisdom_store.hpp"
#include "session/proposals.hpp"
#include "session/session_terms.hpp"

namespace attune {

struct WarmStartCounts {
  std::size_t ladder_steps = 0;    // to be tried first
  std::size_t configurations = 0;  // from wisdom, to be tried next
  std::size_t sources = 0;         // sessions elsewhere that the strategy learns from
};

// Puts the steps of ladders and what wisdom suggests before the strategy's proposals, and gives the strategy the trials
// of sessions elsewhere.
WarmStartCounts start_warm(const SessionTerms& terms, WisdomStore& store, Strategy& strategy, Proposals& proposals);

}  // namespace attune
