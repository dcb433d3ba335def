// What a WisdomStore holds. Private to wisdom_*.cpp.
#pragma once

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Statement.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "attune/error.hpp"
#include "db/wisdom_connection.hpp"
#include "db/wisdom_store.hpp"

namespace attune {

struct WisdomStore::State {
  State(std::filesystem::path file, bool writable) : connection(std::move(file), writable) {}

  // All of `rows` but the damaged ones, which are remembered. `table`: a literal.
  template <typename T>
  std::vector<T> read_all(std::string_view table, SQLite::Statement& rows,
                          std::optional<T> (*read)(SQLite::Statement&)) {
    std::vector<T> values;
    while (rows.executeStep()) {
      if (auto value = read(rows))
        values.push_back(*std::move(value));
      else
        damaged.emplace(table, rows.getColumn("id").getInt64());
    }
    return values;
  }
  // The first of `rows` that is not damaged.
  template <typename T>
  std::optional<T> read_first(std::string_view table, SQLite::Statement& rows,
                              std::optional<T> (*read)(SQLite::Statement&)) {
    while (rows.executeStep()) {
      if (auto value = read(rows)) return value;
      damaged.emplace(table, rows.getColumn("id").getInt64());
    }
    return {};
  }

  // Throws Error when there is no such session.
  void require_session(SQLite::Database& database, std::int64_t session) const;
  Error no_such_session(std::int64_t session) const;

  WisdomConnection connection;
  std::set<std::pair<std::string_view, std::int64_t>> damaged;  // table and id, each once
};

}  // namespace attune
