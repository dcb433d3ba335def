// The JSON form of wisdom: docs/formats/json.md. It has parameter values only: never code, options or paths.
#pragma once

#include <string>
#include <vector>

#include "core/record.hpp"

namespace attune {

// Returns one object {"format": "attune-wisdom", "version": 1, "records": [...]}, two-space indented, newline at the
// end.
std::string records_to_json(const std::vector<Record>& records);
// Returns one record as a JSON object on one line (the "record" of `attune tune --json`).
std::string record_to_json_line(const Record& record);

}  // namespace attune
