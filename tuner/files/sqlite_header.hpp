// Recognises a wisdom database by its first bytes, without SQLite.
#pragma once

#include <filesystem>
#include <optional>

namespace attune {

constexpr int wisdom_application_id = 0x6174756e;      // "atun", as in schema.sql
constexpr int unreleased_application_id = 0x6174746e;  // "attn", in versions before the first release

// Returns the application_id of a SQLite database; nothing for any other file, and for one that cannot be read.
std::optional<int> sqlite_application_id(const std::filesystem::path& file);

}  // namespace attune
