// The last stage of a session: the decision between contenders, and its record. Pure, but for keep_record().
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/finalist_result.hpp"
#include "files/image_cache.hpp"
#include "session/compare.hpp"

namespace attune {

struct Decided {
  FinalDecision decision;
  Trial winner;
  std::vector<FinalistResult> results;  // of all contenders, by the first objective, best first
};

// Decides. `throttled_readings`: Bench's. Returns nothing when the deciding energy was not metered.
std::optional<Decided> decide_between(Compared& compared, const SessionTerms& terms, const ObjectiveValues& values,
                                      const std::vector<bool>& throttled_readings,
                                      const std::optional<Record>& present_record);

// Puts a decision's times, values and rounds in place of the record's.
void take_figures(const FinalDecision& decision, Record& record);

// The session's part of a record, beside its winner.
struct RecordFacts {
  std::uint64_t seed = 0;
  std::int64_t trials = 0;
  bool partial = false, busy = false, self_checked = false;
  int batch = 1;
  double first_anchor_ns = 0;
  Verdict default_verdict = Verdict::ok;
  std::string toolchain;
};
Record make_record(const Decided& decided, const Compared& compared, const SessionTerms& terms,
                   const RecordFacts& facts);

// Stores it as the current record of its key, as far as effort allows, with its finalists. `met_present`: it was
// measured against the present record. Returns whether the present record stands with its own figures.
bool keep_record(Record record, Decided& decided, const std::optional<Record>& present_record, bool met_present,
                 WisdomStore& store);

}  // namespace attune
