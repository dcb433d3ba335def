// Converts rows of the wisdom database to values and back, by the lists of the values' fields. Columns: schema.sql.
// Record, FinalistResult, SessionRow, Trial and Ceiling are read and written; Attempt and QuarantineEntry are only
// read.
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

// The columns of a row that are not fields of its value: ids of rows of other tables.
using Ids = std::initializer_list<std::pair<const char*, std::int64_t>>;

// Inserts `value` and returns the row's id. With `replaces`, replaces a row that conflicts. Throws UsageError for a
// record whose times or ratios are not finite.
template <typename T>
std::int64_t insert_row(SQLite::Database& database, const char* table, Ids ids, const T& value, bool replaces = false);

// Returns the value of the statement's present row, which must be of session_view, record_view, quarantine_view, or of
// the type's table. Returns nothing if the row's content or hash is unsound.
template <typename T>
std::optional<T> read_row(SQLite::Statement& statement);
template <>
std::optional<Record> read_row(SQLite::Statement& statement);
template <>
std::optional<QuarantineEntry> read_row(SQLite::Statement& statement);

// The condition that selects the rows of a key in a view, and the function that binds its parameters.
extern const char* const where_key;  // WHERE kernel = :kernel AND ...
void bind_key(SQLite::Statement& statement, const RecordKey& key);
// The condition that leaves out times of protocols in which a time had another meaning.
extern const std::string of_present_meaning;  // AND protocol >= ...

}  // namespace attune
