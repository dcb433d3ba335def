// Records as comma-separated values: docs/formats/csv.md. Pure.
#pragma once

#include <string>
#include <vector>

#include "exports/keyed_trial.hpp"

namespace attune {

// Returns a field as RFC 4180 quotes it: as it is, or between quotation marks.
std::string csv_quoted(const std::string& field);

// Returns a header line and a line for each record, quoted as RFC 4180 says; lines end with CR LF.
std::string records_to_csv(const std::vector<Record>& records);
// Returns the same for trials, with the names of their verdicts, and without members that are lists: samples and launch
// shapes.
std::string trials_to_csv(const std::vector<KeyedTrial>& trials);

}  // namespace attune
