// Converts rows of the wisdom database to values and back, by the lists of the values' fields. Columns: schema.sql.
// Record, FinalistResult, SessionRow, Trial, Ceiling and Cover are read and written; Attempt and QuarantineEntry are
// only read.
#pragma once

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/record.hpp"
#include "db/wisdom_store.hpp"

namespace attune {

// The columns of a row that are not fields of its value: ids of rows of other tables.
using Ids = std::initializer_list<std::pair<const char*, std::int64_t>>;

// What an INSERT does with a row that conflicts with a stored one.
enum class Conflict { is_error, replaces, is_ignored };

// Inserts rows of one type into one table, by one statement for all of them.
template <typename T>
class RowInserter {
 public:
  // `ids` names the columns that are no fields of the value.
  RowInserter(SQLite::Database& database, const char* table, const std::vector<const char*>& ids,
              Conflict conflict = Conflict::is_error);
  // Inserts `value` and returns the row's id; 0 for a row that was ignored. Throws UsageError for a record whose times
  // or ratios are not finite.
  std::int64_t insert(Ids ids, const T& value);

 private:
  SQLite::Database& database_;
  SQLite::Statement statement_;
};

// Inserts one row, as a RowInserter does. With `replaces`, replaces a row that conflicts.
template <typename T>
std::int64_t insert_row(SQLite::Database& database, const char* table, Ids ids, const T& value, bool replaces = false) {
  std::vector<const char*> names;
  for (const auto& [column, id] : ids) names.push_back(column);
  return RowInserter<T>(database, table, names, replaces ? Conflict::replaces : Conflict::is_error).insert(ids, value);
}

// Returns the value of the statement's present row, which must be of session_view, record_view, quarantine_view, or of
// the type's table. Returns nothing if the row's content or hash is unsound.
template <typename T>
std::optional<T> read_row(SQLite::Statement& statement);
template <>
std::optional<Record> read_row(SQLite::Statement& statement);
template <>
std::optional<Cover> read_row(SQLite::Statement& statement);
template <>
std::optional<QuarantineEntry> read_row(SQLite::Statement& statement);

// Returns the key of the statement's present row, which must be of session_view or record_view. A problem that cannot
// be read is empty.
RecordKey read_key(SQLite::Statement& statement);

// The condition that selects the rows of a key in a view, and the function that binds its parameters.
extern const char* const where_key;  // WHERE kernel = :kernel AND ...
void bind_key(SQLite::Statement& statement, const RecordKey& key);
// The condition that leaves out times of protocols in which a time had another meaning.
extern const std::string of_present_meaning;  // AND protocol >= ...

}  // namespace attune
