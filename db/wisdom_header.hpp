// Recognises a wisdom database by its first bytes, without SQLite, so that no output destroys one.
#pragma once

#include <filesystem>
#include <optional>

namespace attune {

// Returns the application_id of a SQLite database; nothing for any other or unreadable file.
std::optional<int> sqlite_application_id(const std::filesystem::path& file);

// Returns the wisdom database that writing to `target` would destroy; nothing when there is none. It is `in_use`, by
// any path or link, existing or not; or another database. Their journals count as the databases.
std::optional<std::filesystem::path> wisdom_destroyed_by(const std::filesystem::path& target,
                                                         const std::filesystem::path& in_use);

}  // namespace attune
