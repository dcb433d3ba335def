#include "db/wisdom_schema.hpp"

#include <SQLiteCpp/Backup.h>
#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include <chrono>

#include "attune/error.hpp"
#include "attune_embedded/schema.hpp"
#include "db/wisdom_file.hpp"
#include "db/wisdom_store.hpp"

namespace attune {
namespace fs = std::filesystem;
namespace {

// What leads from format 1 to 2: schema.sql as it was when format 2 was made. A later format adds a step of its own and
// leaves this one as it is.
constexpr const char* add_attempts_and_quarantine = R"sql(
  ALTER TABLE trial ADD COLUMN attempts INTEGER NOT NULL DEFAULT 1;
  CREATE TABLE attempt(
    id INTEGER PRIMARY KEY,
    session_id INTEGER NOT NULL REFERENCES session ON DELETE CASCADE,
    configuration TEXT NOT NULL,
    begun INTEGER NOT NULL,
    deaths INTEGER NOT NULL,
    UNIQUE(session_id, configuration)
  ) STRICT;
  CREATE TABLE quarantine(
    id INTEGER PRIMARY KEY,
    kernel_id INTEGER NOT NULL REFERENCES kernel,
    problem_id INTEGER NOT NULL REFERENCES problem,
    device_id INTEGER NOT NULL REFERENCES device,
    configuration TEXT NOT NULL,
    verdict INTEGER NOT NULL,
    detail TEXT NOT NULL,
    made_ms INTEGER NOT NULL,
    UNIQUE(kernel_id, problem_id, device_id, configuration)
  ) STRICT;
  CREATE VIEW quarantine_view AS
    SELECT quarantine.*, kernel.name AS kernel, kernel.code, kernel.contract, device.class_key AS device_class,
           problem.text AS problem_text, problem.bindings AS problem
    FROM quarantine
    JOIN kernel ON kernel.id = quarantine.kernel_id
    JOIN device ON device.id = quarantine.device_id
    JOIN problem ON problem.id = quarantine.problem_id;
  PRAGMA user_version = 2;
)sql";

// From format 2 to 3.
constexpr const char* add_finalists_and_ceilings = R"sql(
  ALTER TABLE trial ADD COLUMN batch INTEGER NOT NULL DEFAULT 1;
  ALTER TABLE trial ADD COLUMN max_relative REAL;
  ALTER TABLE trial ADD COLUMN max_ulp INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE record ADD COLUMN min_ns REAL;
  ALTER TABLE record ADD COLUMN q1_ns REAL;
  ALTER TABLE record ADD COLUMN q3_ns REAL;
  ALTER TABLE record ADD COLUMN batch INTEGER NOT NULL DEFAULT 1;
  ALTER TABLE record ADD COLUMN rounds INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE record ADD COLUMN rounds_dropped INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE record ADD COLUMN sm_clock_mhz REAL;
  ALTER TABLE record ADD COLUMN anchor_ratio REAL;
  ALTER TABLE record ADD COLUMN busy INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE record ADD COLUMN value REAL;
  ALTER TABLE record ADD COLUMN default_value REAL;
  CREATE TABLE finalist(
    id INTEGER PRIMARY KEY,
    record_id INTEGER NOT NULL REFERENCES record ON DELETE CASCADE,
    configuration TEXT NOT NULL,
    samples_ns TEXT NOT NULL,
    min_ns REAL,
    q1_ns REAL,
    median_ns REAL,
    q3_ns REAL,
    objectives TEXT NOT NULL,
    pareto INTEGER NOT NULL,
    energy_j REAL,
    energy_error REAL,
    max_error REAL,
    max_relative REAL,
    max_ulp INTEGER NOT NULL,
    deterministic INTEGER,
    registers INTEGER NOT NULL,
    shared_bytes INTEGER NOT NULL,
    UNIQUE(record_id, configuration)
  ) STRICT;
  CREATE TABLE ceiling(
    id INTEGER PRIMARY KEY,
    device_id INTEGER NOT NULL REFERENCES device,
    name TEXT NOT NULL,
    value REAL NOT NULL,
    unit TEXT NOT NULL,
    detail TEXT NOT NULL,
    driver TEXT NOT NULL,
    attune_version TEXT NOT NULL,
    made_ms INTEGER NOT NULL,
    UNIQUE(device_id, name)
  ) STRICT;
  PRAGMA user_version = 3;
)sql";

constexpr Migration migrations[] = {{1, add_attempts_and_quarantine}, {2, add_finalists_and_ceilings}};

void put_meta(SQLite::Database& database, const char* name, const std::string& value) {
  SQLite::Statement insert(database, R"sql( INSERT INTO meta(name, value) VALUES (:name, :value) )sql");
  insert.bind(":name", name);
  insert.bind(":value", value);
  insert.exec();
}

// The caller holds the write lock, so a second connection reads what nobody changes; SQLite does not copy through the
// connection that holds it.
void back_up(const fs::path& file, int format) {
  const fs::path copy = file.string() + fmt::format(".bak-v{}", format);
  replace_wisdom_file(copy, [&](const fs::path& fresh) {
    SQLite::Database source(file.string(), SQLite::OPEN_READONLY);
    SQLite::Database target(fresh.string(), SQLite::OPEN_READWRITE);
    SQLite::Backup backup(target, source);
    if (backup.executeStep() != SQLITE_DONE)
      throw Error(fmt::format("cannot copy {} to {}", file.string(), copy.string()));
  });
}

}  // namespace

std::span<const Migration> wisdom_migrations() noexcept { return migrations; }

void create_schema(SQLite::Database& database) {
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  database.exec(std::string(attune_embedded::schema.text));
  const auto now =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch());
  put_meta(database, "uuid", make_uuid());
  put_meta(database, "created_ms", fmt::format("{}", now.count()));
  put_meta(database, "attune_version", ATTUNE_VERSION);
  transaction.commit();
}

int check_format(SQLite::Database& database, const fs::path& file, int newest) {
  const int id = database.execAndGet(R"sql( PRAGMA application_id )sql").getInt();
  if (id != wisdom_application_id)
    throw Error(
        fmt::format("{} is an SQLite database of another program (application id {:#x}), not a wisdom database; name "
                    "another file with ATTUNE_DB",
                    file.string(), static_cast<unsigned>(id)));
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

void migrate(SQLite::Database& database, const fs::path& file, std::span<const Migration> steps, int newest) {
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  // Asked again under the lock: another process may have brought it forward meanwhile.
  const int found = check_format(database, file, newest);
  if (found == newest) return;
  back_up(file, found);
  for (const Migration& step : steps)
    if (step.from == check_format(database, file, newest)) database.exec(step.statements);
  if (check_format(database, file, newest) != newest)
    throw Error(fmt::format("no way leads from format {} of the wisdom database {} to format {}", found, file.string(),
                            newest));
  transaction.commit();
}

}  // namespace attune
