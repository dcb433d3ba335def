// Rows for programs: one JSON object per line, or comma-separated values with their names in the first line.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "options.hpp"

namespace attune::cli {

enum class OutputForm { text, json, csv };

// Adds --json and --csv.
void add_form_options(Options& options, const char* json = "one JSON object per line");
// Throws UsageError where both are given.
OutputForm output_form_of(const Options& options);

// Prints rows that have the same fields. JSON lines have the field `type` before them. In CSV, a problem and a
// configuration are texts such as "n=1000 T=float", and null is empty.
void print_rows(OutputForm form, std::string_view type, const std::vector<nlohmann::ordered_json>& rows);

}  // namespace attune::cli
