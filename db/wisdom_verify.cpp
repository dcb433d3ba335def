#include "db/wisdom_verify.hpp"

#include <SQLiteCpp/Statement.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <atomic>
#include <future>

#include "attune/error.hpp"
#include "base/usable_processors.hpp"
#include "core/record_order.hpp"
#include "db/wisdom_connection.hpp"
#include "db/wisdom_rows.hpp"
#include "kernel/record_table.hpp"

namespace attune {
namespace {

constexpr int most_defects = 10;

template <typename T>
bool is_sound_row(SQLite::Statement& row) {
  return read_row<T>(row).has_value();
}
template <>
bool is_sound_row<Record>(SQLite::Statement& row) {
  const std::optional<Record> record = read_row<Record>(row);
  return record && row.getColumn("strength").getInt64() == strength_of(*record);
}

// Adds the rows of a table to those that were verified before.
void add_table(Verification& all, VerifiedTable&& table) {
  const auto same = std::ranges::find(all.tables, table.name, &VerifiedTable::name);
  if (same == all.tables.end()) return all.tables.push_back(std::move(table));
  same->rows += table.rows;
  std::ranges::move(table.damaged, std::back_inserter(same->damaged));
}

// Adds the rows of a query. A page that cannot be read is a defect, and ends the query.
template <typename T>
void verify_rows(WisdomConnection& connection, const std::string& query, const char* table, Verification& found) {
  VerifiedTable of_query{table, 0, {}};
  try {
    connection.read([&](SQLite::Database& database) {
      of_query = {table, 0, {}};
      SQLite::Statement rows(database, query);
      while (rows.executeStep()) {
        ++of_query.rows;
        if (!is_sound_row<T>(rows)) of_query.damaged.push_back(rows.getColumn("id").getInt64());
      }
    });
  } catch (const DatabaseLocked&) {
    throw;
  } catch (const Error& error) {
    found.defects.push_back(fmt::format("{}: {}", table, error.what()));
  }
  add_table(found, std::move(of_query));
}

void verify_pages(SQLite::Database& database, std::vector<std::string>& defects) {
  defects.clear();
  SQLite::Statement check(database, fmt::format("PRAGMA integrity_check({})", most_defects));
  while (check.executeStep())
    if (const std::string text = check.getColumn(0).getString(); text != "ok") defects.push_back(text);
  SQLite::Statement references(database, "PRAGMA foreign_key_check");
  std::int64_t missing = 0;
  std::string first;
  for (; references.executeStep(); ++missing)
    if (missing == 0)
      first = fmt::format("row {} of {} names a missing row of {}", references.getColumn(1).getInt64(),
                          references.getColumn(0).getString(), references.getColumn(2).getString());
  if (missing > 0)
    defects.push_back(missing == 1 ? first : fmt::format("{}, and {} more such rows", first, missing - 1));
}

// Verifies what is not a trial.
Verification verify_others(const std::filesystem::path& file, const DatabaseWaiting& waiting) {
  WisdomConnection connection(file, false, waiting);
  Verification found;
  connection.read([&](SQLite::Database& database) { verify_pages(database, found.defects); });
  verify_rows<Record>(connection, "SELECT * FROM record_view", "record", found);
  verify_rows<FinalistResult>(connection, "SELECT * FROM finalist", "finalist", found);
  verify_rows<SessionRow>(connection, "SELECT * FROM session_view", "session", found);
  verify_rows<Attempt>(connection, "SELECT * FROM attempt", "attempt", found);
  verify_rows<Ceiling>(connection, "SELECT * FROM ceiling", "ceiling", found);
  verify_rows<Cover>(connection, "SELECT * FROM cover", "cover", found);
  return found;
}

// Verifies the trials of the sessions that no other thread has taken.
Verification verify_trials(const std::filesystem::path& file, const DatabaseWaiting& waiting,
                           std::atomic<std::size_t>& next, const std::vector<std::int64_t>& sessions) {
  WisdomConnection connection(file, false, waiting);
  Verification found{.defects = {}, .tables = {{"trial", 0, {}}}};
  for (std::size_t i; (i = next.fetch_add(1)) < sessions.size();)
    verify_rows<Trial>(connection, fmt::format("SELECT * FROM trial WHERE session_id = {}", sessions[i]), "trial",
                       found);
  return found;
}

void add(Verification& all, Verification&& part) {
  std::ranges::move(part.defects, std::back_inserter(all.defects));
  for (VerifiedTable& table : part.tables) add_table(all, std::move(table));
}

}  // namespace

bool Verification::is_sound() const {
  return defects.empty() && std::ranges::all_of(tables, [](const VerifiedTable& one) { return one.damaged.empty(); });
}

Verification verify_wisdom(const std::filesystem::path& file, const DatabaseWaiting& waiting) {
  std::vector<std::int64_t> sessions;
  WisdomConnection(file, false, waiting).read([&](SQLite::Database& database) {
    sessions.clear();
    SQLite::Statement select(database, "SELECT id FROM session");
    while (select.executeStep()) sessions.push_back(select.getColumn(0).getInt64());
  });
  std::atomic<std::size_t> next = 0;
  std::vector<std::future<Verification>> parts;
  parts.push_back(std::async(std::launch::async, [&] {
    Verification others = verify_others(file, waiting);
    add(others, verify_trials(file, waiting, next, sessions));
    return others;
  }));
  for (int i = 1; i < usable_processors(); ++i)
    parts.push_back(std::async(std::launch::async, [&] { return verify_trials(file, waiting, next, sessions); }));
  Verification all;
  for (std::future<Verification>& part : parts) add(all, part.get());
  for (VerifiedTable& table : all.tables) std::ranges::sort(table.damaged);
  return all;
}

void compact_wisdom(const std::filesystem::path& file, const DatabaseWaiting& waiting) {
  if (const Verification found = verify_wisdom(file, waiting); !found.defects.empty())
    throw Error(fmt::format("the wisdom database {0} is damaged and stays as it is; see: attune db verify {0} ({1})",
                            file.string(), found.defects.front()));
  WisdomConnection connection(file, true, waiting);
  connection.read([](SQLite::Database& database) {
    sqlite3_limit(database.getHandle(), SQLITE_LIMIT_ATTACHED, 1);  // SQLite attaches the copy
    database.exec("VACUUM");
  });
}

}  // namespace attune
