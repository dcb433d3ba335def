// What a session knows before its first proposal: steps of ladders, records and trials of elsewhere.
#pragma once

#include <cstddef>

#include "db/wisdom_store.hpp"
#include "session/proposals.hpp"
#include "session/session_terms.hpp"

namespace attune {

struct WarmStarted {
  std::size_t ladder_steps = 0;    // to be tried first
  std::size_t configurations = 0;  // of wisdom, to be tried next
  std::size_t sources = 0;         // sessions elsewhere that the strategy learns from
};

// Puts steps of ladders and what wisdom suggests before the strategy's proposals, and gives it the trials of elsewhere.
WarmStarted start_warm(const SessionTerms& terms, WisdomStore& store, Strategy& strategy, Proposals& proposals);

}  // namespace attune
