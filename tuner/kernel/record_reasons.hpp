// Why each record and cover of a kernel serves a request or not. Reads the answer from the match ladder itself, so that
// there is one order of records. Pure; any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "kernel/ladder.hpp"

namespace attune {

struct RecordReason {
  const Record* record = nullptr;    // one of `records`, or null for a cover or a fall-back
  Rung rung = Rung::none;            // on which it stands; none: it does not fit, or is a fall-back
  std::size_t place = 0;             // in the order in which configurations are tried, from 1; 0: it is not tried
  Configuration configuration = {};  // that is tried, or that the record has; a cover without an answer has none
  std::string why;                   // for it, or against it
  const Cover* cover = nullptr;      // one of `covers`
};

// Returns a reason for each record and cover, and for each fall-back: those that are tried come first, in their order,
// then the others by the rungs on which they stand. `records`, `covers`: all that are stored of the kernel, those that
// do not serve, and those of other code, too.
std::vector<RecordReason> record_reasons(const MatchRequest& request, std::span<const Record> records,
                                         std::span<const Cover> covers = {});

}  // namespace attune
