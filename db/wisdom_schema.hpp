// Making the tables of a wisdom database, and bringing older formats forward. Grammar: docs/formats/wisdom.md.
#pragma once

#include <SQLiteCpp/Database.h>

#include <filesystem>
#include <span>

#include "db/wisdom_format.hpp"

namespace attune {

// Statements that migrate a database from format `from`, alone or with other steps. The last step sets user_version.
// They run inside a transaction, where `PRAGMA foreign_keys` has no effect.
struct Migration {
  int from = 0;
  const char* statements = nullptr;
};
// All steps, in order. Format 1 is the first.
inline constexpr std::span<const Migration> wisdom_migrations;

// Creates the tables and views of the current format in an empty database.
void create_schema(SQLite::Database& database);

// Makes the views that the store reads, for this connection alone.
void create_store_views(SQLite::Database& database);

// Throws Error unless `database` is a wisdom database of format 1 .. `newest`; returns its format.
int check_format(SQLite::Database& database, const std::filesystem::path& file, int newest = wisdom_format);

// Throws Error, which names the first table, index or view that is missing or has another text than in the current
// format. Further ones do no harm.
void check_tables(SQLite::Database& database, const std::filesystem::path& file);

// Applies, in one transaction, the steps from the present format to `newest`, and makes the views anew. Keeps a copy as
// "<file>.bak-v<N>". Does nothing when the format is `newest` already. Throws Error, with nothing changed.
void migrate(SQLite::Database& database, const std::filesystem::path& file, std::span<const Migration> steps,
             int newest);

}  // namespace attune
