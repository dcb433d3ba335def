// Reading wisdom inside an application: whatever is wrong with the database, the answer is fewer records, never an
// exception. Any thread.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/record.hpp"

namespace attune {

// The records that share `key`'s code, contract, regime and objective. Opens the database read-only and closes it
// again, so that an application holds no lock and no descriptor. A missing file is no wisdom; a file that cannot be
// read, is damaged or locked is no wisdom and a warning.
std::vector<Record> read_wisdom(const std::filesystem::path& database, const RecordKey& key,
                                const std::function<void(const std::string&)>& warn);

}  // namespace attune
