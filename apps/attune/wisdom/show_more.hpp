// What is stored beside a record: its search, the best trials, quarantine, other records of its key, conditions.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "db/wisdom_look.hpp"
#include "exports/keyed_trial.hpp"
#include "stored.hpp"

namespace attune::cli {

struct MoreOfRecord {
  std::vector<VerdictTally> tallies;  // of the newest search for the key in the record's space
  std::vector<KeyedTrial> best;       // of that search, the fastest first, at most ten
  std::vector<QuarantineEntry> quarantined;
  std::vector<Record> others;  // of the key, the newest first: they do not serve
  std::string conditions;      // under which the record was measured, as a line; "" where nothing is known
};

// `sessions`: of the record's kernel, the newest first.
MoreOfRecord more_of(const Record& record, std::span<const FinalistResult> finalists,
                     std::span<const SessionRow> sessions, WisdomStore& store);

// Returns what was tried: counts by verdict, each failure with a reason, and the command that shows more.
std::string tried_text(const MoreOfRecord& more, const std::string& trials_command);
// Returns the best trials, what is in quarantine, and the other records with the reason why each does not serve.
std::string more_text(const Record& record, const MoreOfRecord& more, bool verbose);
// Prints the lines "tried", "trial", "quarantined" and "other_record".
void print_more(const Record& record, const MoreOfRecord& more);

// Returns the fields of the line "kernel".
nlohmann::ordered_json kept_json(const std::string& kernel, const StoredCounts& kept);

}  // namespace attune::cli
