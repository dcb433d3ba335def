// The numbers that attune.h gives the rungs of the match ladder. They are part of the interface, so a new rung gets a
// new number.
#pragma once

#include <iterator>

#include "attune.h"
#include "attune/match.hpp"
#include "base/enum_texts.hpp"

namespace attune::c_api {

// In the order of Rung.
inline constexpr attune_rung c_rungs[] = {ATTUNE_RUNG_PINNED,         ATTUNE_RUNG_EXACT, ATTUNE_RUNG_STALE,
                                          ATTUNE_RUNG_OTHER_REGIME,   ATTUNE_RUNG_COVER, ATTUNE_RUNG_NEAR_PROBLEM,
                                          ATTUNE_RUNG_SIBLING_DEVICE, ATTUNE_RUNG_NONE,  ATTUNE_RUNG_OTHER_PROBLEM};
static_assert(std::size(c_rungs) == enum_size<Rung>());

constexpr attune_rung rung_of(Rung rung) noexcept { return c_rungs[static_cast<int>(rung)]; }

}  // namespace attune::c_api
