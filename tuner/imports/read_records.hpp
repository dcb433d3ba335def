// Records from attune's own texts: JSON (docs/formats/json.md) and CSV (docs/formats/csv.md). Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/record.hpp"

namespace attune {

struct ReadRecords {
  std::vector<Record> records;  // checked; with the origin that the text states
  std::int64_t unknown_fields = 0;
};

// Reads a document {"format": "attune-wisdom", ...}. Throws UsageError naming the place for text that is not such a
// document, for another version, a member that stands twice, records that check_record() refuses, two records of one
// uuid, and what exceeds the limits: nesting of 16, texts of 4 KiB, a million records.
ReadRecords records_from_json(std::string_view text);

// Returns whether these are the columns of records.
bool names_columns_of_records(const std::vector<std::string>& names);
// Reads rows whose first one names the columns. Throws as records_from_json() does.
ReadRecords records_from_csv(const std::vector<std::vector<std::string>>& rows);

}  // namespace attune
