// Makes the tables of a wisdom database, and brings older formats forward. Grammar: docs/formats/wisdom.md.
#pragma once

#include <SQLiteCpp/Database.h>

#include <filesystem>
#include <span>

#include "db/wisdom_format.hpp"

namespace attune {

// Statements that migrate a database from format `from`, alone or together with other steps of the same format. The
// last of these steps sets user_version. The statements run inside a transaction, where `PRAGMA foreign_keys` has no
// effect.
struct Migration {
  int from = 0;
  const char* statements = nullptr;
};
// All steps, in order. They are none, because format 1 is the first.
inline constexpr std::span<const Migration> wisdom_migrations;

// Creates the tables and views of the current format in an empty database.
void create_schema(SQLite::Database& database);

// Makes the views that the store reads, for this connection only.
void create_store_views(SQLite::Database& database);

// Returns the format of a wisdom database. Throws Error unless `database` is a wisdom database of format 1 .. `newest`.
int check_format(SQLite::Database& database, const std::filesystem::path& file, int newest = wisdom_format);

// Throws Error naming the first table, index or view that is missing or has another text than in the current format.
// Additional tables, indexes and views do no harm.
void check_tables(SQLite::Database& database, const std::filesystem::path& file);

// Applies, in one transaction, the steps from the present format N to `newest`, and makes the views anew. Keeps a copy
// as "<file>.bak-v<N>". Does nothing if the format is `newest` already. Throws Error and then changes nothing.
void migrate(SQLite::Database& database, const std::filesystem::path& file, std::span<const Migration> steps,
             int newest);

}  // namespace attune
