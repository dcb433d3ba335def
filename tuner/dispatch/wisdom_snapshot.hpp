// Reads wisdom inside an application. A defect of the database means fewer records, never an exception. Any thread.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/record.hpp"

namespace attune {

// Returns the records with `key`'s code, contract and objective. Opens the database read-only and closes it: an
// application keeps no lock and no descriptor. A missing file is no wisdom. A file that is unreadable or damaged is no
// wisdom and a warning. Returns nothing, with a warning, when another process has locked it for a tenth of a second.
std::optional<std::vector<Record>> read_wisdom(const std::filesystem::path& database, const RecordKey& key,
                                               const std::function<void(const std::string&)>& warn);

}  // namespace attune
