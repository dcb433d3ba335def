#include "db/wisdom_forget.hpp"

#include <SQLiteCpp/Statement.h>
#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "db/wisdom_state.hpp"

namespace attune {
namespace {

std::vector<std::int64_t> rows_to_forget(SQLite::Database& database, const std::string& rows, const Forgetting& what) {
  SQLite::Statement select(database, "SELECT * FROM " + rows + " AND (:kernel = '' OR kernel = :kernel)");
  select.bind(":kernel", what.kernel);
  std::vector<std::int64_t> found;
  while (select.executeStep())
    if (what.includes(read_key(select))) found.push_back(select.getColumn("id").getInt64());
  return found;
}

std::string records_of(const Forgetting& what) {
  return what.pins_alone ? fmt::format("record_view WHERE origin = {}", static_cast<int>(Origin::pinned))
                         : "record_view WHERE true";
}

std::int64_t count_of(SQLite::Database& database, const char* query, std::int64_t id) {
  SQLite::Statement count(database, query);
  count.bind(1, id);
  count.executeStep();
  return count.getColumn(0).getInt64();
}

void remove_rows(SQLite::Database& database, const char* table, const std::vector<std::int64_t>& ids) {
  SQLite::Statement remove(database, fmt::format("DELETE FROM {} WHERE id = ?", table));
  for (const std::int64_t id : ids) {
    remove.bind(1, id);
    remove.exec();
    remove.reset();
  }
}

// Removes the rows of a table that no row of any other table refers to.
void remove_unused(SQLite::Database& database, const char* table) {
  SQLite::Statement references(database, R"sql(
    SELECT replace(tables.name, '"', '""'), replace(reference."from", '"', '""') FROM sqlite_schema AS tables
    JOIN pragma_foreign_key_list(tables.name) AS reference
    WHERE tables.type = 'table' AND reference."table" = :table
  )sql");
  references.bind(":table", table);
  std::string used;
  while (references.executeStep())
    used += fmt::format("{} SELECT \"{}\" FROM \"{}\"", used.empty() ? "" : " UNION",
                        references.getColumn(1).getString(), references.getColumn(0).getString());
  references.reset();
  database.exec(fmt::format("DELETE FROM {} WHERE id NOT IN ({})", table, used));
}

}  // namespace

Forgotten forget(WisdomStore& store, const Forgetting& what, bool is_trial_run) {
  Forgotten gone;
  const auto work = [&](SQLite::Database& database) {
    gone = {};
    std::vector<std::int64_t> records, sessions, covers;
    if (what.session) {
      store.state().require_session(database, *what.session);
      sessions = {*what.session};
    } else {
      if (what.records) records = rows_to_forget(database, records_of(what), what);
      if (what.sessions) sessions = rows_to_forget(database, "session_view WHERE true", what);
      if (what.records && what.sessions)
        covers = rows_to_forget(database, "(SELECT *, '{}' AS problem FROM cover) WHERE true", what);
    }
    gone.records = static_cast<std::int64_t>(records.size());
    gone.sessions = static_cast<std::int64_t>(sessions.size());
    gone.covers = static_cast<std::int64_t>(covers.size());
    for (const std::int64_t session : sessions) {
      gone.trials += count_of(database, "SELECT count(*) FROM trial WHERE session_id = ?", session);
      gone.quarantined += count_of(database, R"sql(
        SELECT count(*) FROM trial WHERE session_id = ? AND deaths >= 2 AND verdict <> 0 AND lifted_ms IS NULL
      )sql",
                                   session);
    }
    if (is_trial_run) return;
    remove_rows(database, "record", records);
    remove_rows(database, "session", sessions);
    remove_rows(database, "cover", covers);
    for (const char* const table : {"kernel", "problem", "device"}) remove_unused(database, table);
  };
  if (is_trial_run)
    store.state().connection.read(work);
  else
    store.state().connection.write(work);
  return gone;
}

}  // namespace attune
