// The JSON form of wisdom: docs/formats/json.md. Parameter values only: never code, options or paths.
#pragma once

#include <string>
#include <vector>

#include "core/record.hpp"

namespace attune {

// One object {"format": "attune-wisdom", "version": 1, "records": [...]}, two-space indented, newline at the end.
std::string records_to_json(const std::vector<Record>& records);
// One record as a JSON object on one line (what `attune tune --json` prints as "record").
std::string record_to_json_line(const Record& record);

}  // namespace attune
