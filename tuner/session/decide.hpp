// The last stage of a session: the decision between contenders, and its record. Pure, except for keep_record().
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/finalist_result.hpp"
#include "files/image_cache.hpp"
#include "session/compare.hpp"

namespace attune {

struct SessionDecision {
  FinalDecision decision;
  Trial winner;
  std::vector<FinalistResult> results;  // of all contenders, by the first objective, best first
};

// Decides between the contenders. Returns nothing if the objective that decides
// needs energy and none was metered.
std::optional<SessionDecision> decide_between(FinalStageResult& compared, const SessionTerms& terms,
                                              const ObjectiveValues& values,
                                              const std::optional<Record>& present_record);

// Replaces the record's times, values and rounds by those of a decision.
void take_figures(const FinalDecision& decision, Record& record);

// What a record has from its session beside the winner.
struct RecordFacts {
  std::uint64_t seed = 0;
  std::int64_t trials = 0;
  bool partial = false, busy = false, self_checked = false;
  int batch = 1;
  Verdict default_verdict = Verdict::ok;
  std::string toolchain;
};
Record make_record(const SessionDecision& decided, const FinalStageResult& compared, const SessionTerms& terms,
                   const RecordFacts& facts);

// Stores the record with its finalists, unless it only confirms the present one by a search that was cut short. It
// becomes the current record of its key unless a stronger one stays (core/record_order.hpp). `met_present` says that it
// was measured against the present record. Returns whether the present record stands with its own figures.
bool keep_record(Record record, SessionDecision& decided, const std::optional<Record>& present_record, bool met_present,
                 WisdomStore& store);

}  // namespace attune
