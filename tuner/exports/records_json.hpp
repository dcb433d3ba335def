// The JSON form of wisdom: docs/formats/json.md. It has values of parameters only, never code, options or paths. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/finalist_result.hpp"
#include "core/record.hpp"
#include "exports/keyed_trial.hpp"

namespace attune {

// Returns an object with the fields of the record, those of its key first. Texts may contain bytes that are not UTF-8.
nlohmann::ordered_json to_json(const Record& record);
nlohmann::ordered_json to_json(const std::vector<BoardResult>& boards);
// Returns an object with the fields of a finalist, without its samples. Unknown fields are absent.
nlohmann::ordered_json to_json(const FinalistResult& finalist);

// Returns an object with the fields of a trial, with the name of its verdict and without its samples.
nlohmann::ordered_json to_json(const KeyedTrial& trial);

// Returns one object {"format": "attune-wisdom", "version": 1, "records": [...]}, indented by two blanks, with a
// newline at the end. Bytes that are not UTF-8 are replaced.
std::string records_to_json(const std::vector<Record>& records);

}  // namespace attune
