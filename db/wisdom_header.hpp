// What the first bytes of a file say, without SQLite: whether it is a wisdom database, and whether writing to a path
// would destroy one.
#pragma once

#include <filesystem>
#include <optional>

namespace attune {

// The application_id of a SQLite database; nothing for any other file and for one that cannot be read.
std::optional<int> sqlite_application_id(const std::filesystem::path& file);

// The wisdom database that writing to `target` would destroy: `in_use`, by whatever path or link, whether it exists or
// not; or any other one. Their journals count as they do. Nothing when there is none.
std::optional<std::filesystem::path> wisdom_destroyed_by(const std::filesystem::path& target,
                                                         const std::filesystem::path& in_use);

}  // namespace attune
