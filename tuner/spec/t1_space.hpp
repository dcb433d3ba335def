// T1Space: the search space of a T1 document, the JSON format of other tuners. Only parameters and restrictions are
// read. Format: docs/formats/t1.md. Pure but for load_t1_space; any thread.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "attune/parameter.hpp"
#include "attune/search_space.hpp"

namespace attune {

struct T1Space {
  std::string name;                   // General.BenchmarkName, else the file's name without folder and extension
  std::vector<Parameter> parameters;  // values in the order of the document
  std::vector<std::optional<Value>> defaults;  // by parameter; not necessarily among its values
  std::vector<Rule> rules;                     // in the Python dialect, as written
};

// Reads a document. Throws UsageError naming the file and the parameter or condition. `file_name` is for messages and
// for T1Space::name.
T1Space read_t1_space(std::string_view json, std::string_view file_name);
// Reads a file. Throws as read_t1_space() does, and UsageError if the file cannot be read.
T1Space load_t1_space(const std::filesystem::path& file);

}  // namespace attune
