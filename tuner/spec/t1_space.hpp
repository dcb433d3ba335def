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
  std::vector<std::optional<Value>> defaults;  // by parameter; need not be one of its values
  std::vector<Rule> rules;                     // in the Python dialect, as written
};

// Throws UsageError with the file and the parameter or condition. `file_name` is for messages and the name.
T1Space read_t1_space(std::string_view json, std::string_view file_name);
// Reads a file. Throws as above, and UsageError if it cannot be read.
T1Space load_t1_space(const std::filesystem::path& file);

}  // namespace attune
