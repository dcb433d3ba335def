// Copies of whole wisdom databases.
#pragma once

#include <filesystem>

namespace attune {

// Copies the database `from` into `to`, which must be an empty file. What other processes write meanwhile is in the
// copy as a whole or not at all. Throws Error.
void copy_database(const std::filesystem::path& from, const std::filesystem::path& to);

// Keeps a copy of the database beside it, as "<file>.bak-1"; the copy before becomes "<file>.bak-2", and the one before
// that goes. May be called while this process holds the write lock and has written nothing. Throws Error.
void keep_backup(const std::filesystem::path& file);

}  // namespace attune
