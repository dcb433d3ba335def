// The format of the wisdom database and its versions. Grammar: docs/formats/wisdom.md.
#pragma once

#include <SQLiteCpp/Database.h>

#include <filesystem>
#include <span>

namespace attune {

constexpr int wisdom_application_id = 0x6174746e;  // "attn", as in schema.sql
constexpr int wisdom_format = 6;                   // user_version, as in schema.sql

// Statements that migrate a database from format `from`, alone or with other steps. The last step sets user_version.
// They run inside a transaction, where `PRAGMA foreign_keys` has no effect.
struct Migration {
  int from = 0;
  const char* statements = nullptr;
};
// Returns all steps, in order.
std::span<const Migration> wisdom_migrations() noexcept;

// Creates the tables and views of the current format in an empty database.
void create_schema(SQLite::Database& database);

// Makes the views that the store reads, for this connection alone.
void create_store_views(SQLite::Database& database);

// Fills in what applications read of the records that lack it, as those of formats up to 4 do.
void complete_records(SQLite::Database& database);

// Throws Error unless `database` is a wisdom database of format 1 .. `newest`; returns its format.
int check_format(SQLite::Database& database, const std::filesystem::path& file, int newest = wisdom_format);

// Applies, in one transaction, the steps from the present format to `newest`, and makes the views anew. Keeps a copy as
// "<file>.bak-v<N>". Does nothing when the format is `newest` already. Throws Error, with nothing changed.
void migrate(SQLite::Database& database, const std::filesystem::path& file, std::span<const Migration> steps,
             int newest);

}  // namespace attune
