// The last stage of a session: the decision between contenders, and the record that is made of it. Pure, but for what
// keep_record() stores.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/finalist_result.hpp"
#include "db/image_cache.hpp"
#include "session/compare.hpp"

namespace attune {

struct Decided {
  FinalDecision decision;
  Trial winner;
  std::vector<FinalistResult> results;  // of all contenders, by the first objective, best first
};

// Which contender wins. `throttled_readings`: Bench's. Nothing when the energy that decides was not metered.
std::optional<Decided> decide_between(Compared& compared, const SessionTerms& terms, const ObjectiveValues& values,
                                      const std::vector<bool>& throttled_readings,
                                      const std::optional<Record>& present_record);

// What of a session a record tells beside its winner.
struct RecordFacts {
  std::uint64_t seed = 0;
  std::int64_t trials = 0;
  bool partial = false, busy = false, self_checked = false;
  int batch = 1;
  double first_anchor_ns = 0;
  std::string toolchain;
};
Record make_record(const Decided& decided, const Compared& compared, const SessionTerms& terms,
                   const RecordFacts& facts);

// Stores it as what its key stands for from now on, as far as effort allows, with its finalists. `met_present`: it was
// measured against the present record.
void keep_record(Record record, Decided& decided, const std::optional<Record>& present_record, bool met_present,
                 WisdomStore& store);

}  // namespace attune
