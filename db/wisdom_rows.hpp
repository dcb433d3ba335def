// Rows of the wisdom database as values and back, by their lists of fields. Columns: schema.sql. Record,
// FinalistResult, SessionRow, Trial and Ceiling go both ways; Attempt and QuarantineEntry are only read.
#pragma once

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>

#include "core/record.hpp"
#include "db/wisdom_store.hpp"

namespace attune {

// The columns of a row that are no fields of its value: ids of other tables.
using Ids = std::initializer_list<std::pair<const char*, std::int64_t>>;

// Inserts `value` and returns the row's id. With `replaces`, it replaces a row that conflicts. Throws UsageError for a
// record whose times or ratios are not finite.
template <typename T>
std::int64_t insert_row(SQLite::Database& database, const char* table, Ids ids, const T& value, bool replaces = false);

// Reads the present row of session_view, record_view, quarantine_view, or else of the table. Returns nothing when its
// content or its hash is unsound.
template <typename T>
std::optional<T> read_row(SQLite::Statement& statement);
template <>
std::optional<Record> read_row(SQLite::Statement& statement);
template <>
std::optional<QuarantineEntry> read_row(SQLite::Statement& statement);

// Finds the rows of a key in a view: the condition, and its parameters.
extern const char* const where_key;  // WHERE kernel = :kernel AND ...
void bind_key(SQLite::Statement& statement, const RecordKey& key);
// Leaves out times that mean something else than today.
extern const std::string of_present_meaning;  // AND protocol >= ...

}  // namespace attune
