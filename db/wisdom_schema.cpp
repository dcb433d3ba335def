#include "db/wisdom_schema.hpp"

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include "attune/error.hpp"
#include "attune_embedded/schema.hpp"
#include "attune_embedded/store_views.hpp"
#include "attune_embedded/trials_view.hpp"
#include "attune_embedded/wisdom_view.hpp"
#include "base/enum_texts.hpp"
#include "base/unix_ms.hpp"
#include "db/wisdom_copy.hpp"
#include "db/wisdom_file.hpp"
#include "db/wisdom_store.hpp"

namespace attune {
namespace fs = std::filesystem;
namespace {

constexpr std::uintmax_t header_bytes = 100;  // of every SQLite database

void put_meta(SQLite::Database& database, const char* name, const std::string& value) {
  SQLite::Statement insert(database, R"sql( INSERT INTO meta(name, value) VALUES (:name, :value) )sql");
  insert.bind(":name", name);
  insert.bind(":value", value);
  insert.exec();
}

// Returns the statement of the view that has the names of verdicts, taken from their one list.
std::string trials_view() {
  std::string names;
  for (int i = 0; i < enum_size<Verdict>(); ++i)
    names += fmt::format(" WHEN {} THEN '{}'", i, to_text(static_cast<Verdict>(i)));
  const std::string_view text = attune_embedded::trials_view.text;
  const std::string_view place = " WHEN :number THEN :name";
  const auto at = text.find(place);
  return std::string(text.substr(0, at)) + names + std::string(text.substr(at + place.size()));
}

void create_views(SQLite::Database& database) {
  database.exec(std::string(attune_embedded::wisdom_view.text));
  database.exec(trials_view());
  database.exec(std::string(application_view()));
}

// A table, index or view, and the statement that made it, with each run of white space as one blank.
struct SchemaObject {
  std::string kind, name, statement;
};

std::vector<SchemaObject> made_in(SQLite::Database& database) {
  SQLite::Statement all(database, R"sql( SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL )sql");
  std::vector<SchemaObject> made;
  while (all.executeStep()) {
    SchemaObject& one = made.emplace_back(SchemaObject{all.getColumn(0).getString(), all.getColumn(1).getString(), ""});
    std::istringstream words(all.getColumn(2).getString());
    for (std::string word; words >> word;) one.statement += word + ' ';
  }
  return made;
}

}  // namespace

void create_schema(SQLite::Database& database) {
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  database.exec(std::string(attune_embedded::schema.text));
  create_views(database);
  put_meta(database, "uuid", make_uuid());
  put_meta(database, "created_ms", fmt::format("{}", unix_ms()));
  put_meta(database, "attune_version", ATTUNE_VERSION);
  transaction.commit();
}

void create_store_views(SQLite::Database& database) { database.exec(std::string(attune_embedded::store_views.text)); }

int check_format(SQLite::Database& database, const fs::path& file, int newest) {
  const int id = database.execAndGet(R"sql( PRAGMA application_id )sql").getInt();
  std::error_code unknown;
  if (const auto size = fs::file_size(file, unknown); !unknown && size > 0 && size < header_bytes)
    throw Error(fmt::format("{} is cut short ({} bytes): restore it from a copy, or name another file with ATTUNE_DB",
                            file.string(), size));
  require_wisdom(file, id);
  const int format = database.execAndGet(R"sql( PRAGMA user_version )sql").getInt();
  if (format > newest)
    throw Error(
        fmt::format("the wisdom database {} was written by a newer attune (format {}; this one reads up to {}); update "
                    "attune, or name another file with ATTUNE_DB",
                    file.string(), format, newest));
  if (format < 1)
    throw Error(
        fmt::format("the wisdom database {} has no format number ({}): it is damaged or was never finished; move it "
                    "away, or name another file with ATTUNE_DB",
                    file.string(), format));
  return format;
}

void check_tables(SQLite::Database& database, const fs::path& file) {
  const std::vector<SchemaObject> found = made_in(database);
  SQLite::Database own(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  create_schema(own);
  for (const SchemaObject& wanted : made_in(own)) {
    const auto same = std::ranges::find(found, wanted.name, &SchemaObject::name);
    if (same != found.end() && same->statement == wanted.statement) continue;
    throw Error(fmt::format(
        "the wisdom database {0} has other tables than format {1}: the {2} `{3}` is {4}. Another program has changed "
        "it, "
        "or an unreleased attune has written it; move it away (mv {0} {0}.other) and tune again, or name another file "
        "with ATTUNE_DB",
        file.string(), wisdom_format, wanted.kind, wanted.name, same == found.end() ? "missing" : "another one"));
  }
}

void migrate(SQLite::Database& database, const fs::path& file, std::span<const Migration> steps, int newest) {
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  // The format is checked again under the lock, because another process may have migrated the file meanwhile.
  const int found = check_format(database, file, newest);
  if (found == newest) {
    // This connection may have read the old tables. Running a statement makes it notice the change.
    database.execAndGet(R"sql( SELECT count(*) FROM sqlite_schema )sql");
    return;
  }
  // This connection holds the write lock, so that another one reads an unchanging file; SQLite does not copy through
  // the connection that holds the lock.
  replace_wisdom_file(file.string() + fmt::format(".bak-v{}", found),
                      [&](const fs::path& fresh) { copy_database(file, fresh); });
  database.exec(R"sql( DROP VIEW IF EXISTS wisdom )sql");
  database.exec(R"sql( DROP VIEW IF EXISTS trials )sql");
  database.exec(R"sql( DROP VIEW IF EXISTS application_record_1 )sql");
  for (const Migration& step : steps)
    if (step.from == check_format(database, file, newest)) database.exec(step.statements);
  if (check_format(database, file, newest) != newest)
    throw Error(fmt::format("no way leads from format {} of the wisdom database {} to format {}", found, file.string(),
                            newest));
  create_views(database);
  transaction.commit();
}

}  // namespace attune
