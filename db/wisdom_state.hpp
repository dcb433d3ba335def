// The members of a WisdomStore. Private to wisdom_*.cpp.
#pragma once

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Statement.h>

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "attune/error.hpp"
#include "db/wisdom_connection.hpp"
#include "db/wisdom_rows.hpp"
#include "db/wisdom_store.hpp"

namespace attune {

struct WisdomStore::State {
  State(std::filesystem::path file, bool writable, DatabaseWaiting waiting)
      : connection(std::move(file), writable, std::move(waiting)) {}

  // Returns the values of all sound `rows` and notes the damaged rows. `table` must be a literal.
  template <typename T>
  std::vector<T> read_all(std::string_view table, SQLite::Statement& rows) {
    std::vector<T> values;
    while (std::optional<T> value = read_first<T>(table, rows)) values.push_back(*std::move(value));
    return values;
  }
  // Returns the value of the first sound row of the remaining `rows`, and notes the damaged rows before it.
  template <typename T>
  std::optional<T> read_first(std::string_view table, SQLite::Statement& rows) {
    while (rows.executeStep()) {
      if (std::optional<T> value = read_row<T>(rows)) return value;
      damaged.emplace(table, rows.getColumn("id").getInt64());
    }
    return {};
  }

  // Returns all sound records of a key, the strongest first.
  std::vector<Record> records_of(SQLite::Database& database, const RecordKey& key);

  // Throws Error if there is no such session.
  void require_session(SQLite::Database& database, std::int64_t session) const;
  Error no_such_session(std::int64_t session) const;

  WisdomConnection connection;
  std::set<std::pair<std::string_view, std::int64_t>> damaged;  // table and id, each once
};

// Notes that another record has beaten this one in the same rounds. Must be called inside a write transaction.
void supersede(SQLite::Database& database, Record record);
// Inserts a record. It replaces a stored record with the same uuid. Must be called inside a write transaction.
void insert_record(SQLite::Database& database, const Record& record, std::span<const FinalistResult> finalists);

// Removes the attempt at `configuration`, if there is one. Must be called inside a write transaction.
void end_attempt(SQLite::Database& database, std::int64_t session, const Configuration& configuration);
// Stores a trial, which ends the attempt at its configuration. Must be called inside a write transaction.
void insert_trial(SQLite::Database& database, std::int64_t session, const Trial& trial);

}  // namespace attune
