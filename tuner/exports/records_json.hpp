// The JSON form of wisdom: docs/formats/json.md. It has parameter values only: never code, options or paths. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/finalist_result.hpp"
#include "core/record.hpp"
#include "exports/keyed_trial.hpp"

namespace attune {

// Returns an object with the fields of the record, those of its key first. Texts may hold bytes that are not UTF-8.
nlohmann::ordered_json to_json(const Record& record);
// So of a finalist, without its samples. Fields that are not known are absent.
nlohmann::ordered_json to_json(const FinalistResult& finalist);

// So of a trial, with the name of its verdict, and without its samples.
nlohmann::ordered_json to_json(const KeyedTrial& trial);

// Returns one object {"format": "attune-wisdom", "version": 1, "records": [...]}, two-space indented, newline at the
// end. Bytes that are not UTF-8 are replaced.
std::string records_to_json(const std::vector<Record>& records);

}  // namespace attune
