#include "db/wisdom_connection.hpp"

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Exception.h>
#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <random>
#include <string>
#include <thread>

#include "attune/error.hpp"
#include "base/trusted_environment.hpp"
#include "db/lock_wait.hpp"
#include "db/wisdom_failure.hpp"
#include "db/wisdom_file.hpp"
#include "db/wisdom_schema.hpp"
#include "files/paths.hpp"
#include "kernel/record_table.hpp"

namespace attune {
namespace {

using Seconds = std::chrono::duration<double>;

// The longest wait for a lock. A migration or a long commit on a slow disk ends well within it.
constexpr Seconds writer_wait_limit{30};
// The same for read-only stores: applications look records up while they start, and can go on with a default
// configuration.
constexpr Seconds reader_wait_limit{5};
// SQLite's own wait in each attempt. There are several attempts, because SQLite gives up at once where waiting could
// deadlock. A signal ends the wait between two attempts.
constexpr Seconds sqlite_wait{0.3};
// A larger file is opened without a check of its trials, which would take longer than a command: `attune db verify`
// checks them.
constexpr std::uintmax_t most_checked_bytes = std::uintmax_t{64} << 20;
// The pause between attempts is random, so that two processes do not collide again and again.
constexpr int shortest_pause_ms = 5, longest_pause_ms = 50;

// Beyond the largest row number SQLite makes no row and reports a full disk.
constexpr std::int64_t most_row_number = std::int64_t{1} << 62;
constexpr const char* last_row_number = R"sql(
  SELECT coalesce(max(last), 0) FROM (
    SELECT max(id) AS last FROM session UNION ALL SELECT max(id) FROM trial UNION ALL SELECT max(seq) FROM sqlite_sequence)
)sql";

Seconds wait_limit(bool writable, std::optional<double> wished) {
  const Seconds usual = wished ? Seconds(*wished) : writable ? writer_wait_limit : reader_wait_limit;
  return Seconds(lock_wait_seconds(usual.count()));
}

void pause_at_random() {
  thread_local std::minstd_rand random{std::random_device{}()};
  std::this_thread::sleep_for(
      std::chrono::milliseconds(std::uniform_int_distribution(shortest_pause_ms, longest_pause_ms)(random)));
}

void set_sqlite_wait(SQLite::Database& database, Seconds wait) {
  database.setBusyTimeout(static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(wait).count()));
}

const char* journal_of(SQLite::Database& database) {
  return sqlite3_filename_journal(sqlite3_db_filename(database.getHandle(), "main"));
}

SqliteFailure failure_of(const SQLite::Exception& error, const SQLite::Database* database) {
  const int of_opening = errno;  // the error if no connection was made: nothing else keeps it
  SqliteFailure failure{.message = error.what()};
  failure.code = error.getExtendedErrorCode() > 0 ? error.getExtendedErrorCode() : error.getErrorCode();
  const int primary = failure.code & 0xff;
  if (!database && primary == SQLITE_CANTOPEN) failure.system_error = of_opening;
  if (!database || (primary != SQLITE_IOERR && primary != SQLITE_CANTOPEN)) return failure;
  failure.system_error = sqlite3_system_errno(database->getHandle());
  // The rollback of the failed transaction may have overwritten the error; the file keeps it.
  if (failure.system_error == 0 && primary == SQLITE_IOERR)
    sqlite3_file_control(database->getHandle(), "main", SQLITE_FCNTL_LAST_ERRNO, &failure.system_error);
  return failure;
}

// Returns the first defect of all tables but `trial`, which is most of a large database; "ok" if there is none.
std::string defect_beside_trials(SQLite::Database& database) {
  SQLite::Statement tables(database, R"sql(
    SELECT replace(name, '"', '""') FROM sqlite_schema WHERE type = 'table' AND name <> 'trial'
  )sql");
  std::string verdict = "ok";
  while (verdict == "ok" && tables.executeStep()) {
    const std::string check = fmt::format("PRAGMA integrity_check(\"{}\")", tables.getColumn(0).getString());
    verdict = database.execAndGet(check).getString();
  }
  return verdict;
}

// Returns the error that a user reads, with advice of its own for a write-ahead log, which needs a writable directory.
Error error_of(const std::filesystem::path& file, const SqliteFailure& failure, double waited_seconds = 0) {
  const int primary = failure.code & 0xff, cause = failure.system_error;
  if ((primary != SQLITE_CANTOPEN && primary != SQLITE_READONLY) || cause == EMFILE || cause == ENFILE ||
      !is_in_wal_mode(file))
    return wisdom_error(file, failure, waited_seconds);
  return Error(fmt::format(
      "the wisdom database {0} has a write-ahead log (WAL), with which SQLite reads it only where it can write to its "
      "directory; copy it to such a place, or end WAL where it was made (sqlite3 {0} 'PRAGMA journal_mode=DELETE') "
      "(SQLite {1}: {2})",
      file.string(), failure.code, failure.message));
}

}  // namespace

WisdomConnection::WisdomConnection(std::filesystem::path file, bool writable, DatabaseWaiting waiting)
    : file_(std::move(file)),
      writable_(writable),
      in_memory_(file_ == ":memory:"),
      process_(getpid()),
      wait_limit_(wait_limit(writable, waiting.seconds)),
      waiting_(std::move(waiting)) {
  if (file_.empty()) throw UsageError("the name of the wisdom database is empty; name a file with ATTUNE_DB");
  if (in_memory_) {
    open_in_memory();
    return;
  }
  if (writable_) require_local_writing(file_);
  if (!wisdom_file_exists(file_, writable_)) {
    if (!writable_)
      throw Error(fmt::format(
          "there is no wisdom database {}; make one (attune tune KERNEL), or name another file with ATTUNE_DB",
          file_.string()));
    create();
  }
  open();
}

// A connection from before fork() shares file offsets and locks with the parent. Closing it could harm the parent, so
// it stays open until the process ends.
WisdomConnection::~WisdomConnection() {
  if (database_ && process_ != getpid()) static_cast<void>(database_.release());
}

void WisdomConnection::create() {
  create_wisdom_file(file_, [this](const std::filesystem::path& fresh) {
    std::unique_ptr<SQLite::Database> database;  // outside the try block, because it knows the system's error
    try {
      database = std::make_unique<SQLite::Database>(fresh.string(), SQLite::OPEN_READWRITE);
      create_schema(*database);
    } catch (const SQLite::Exception& error) {
      throw error_of(file_, failure_of(error, database.get()));
    }
  });
}

void WisdomConnection::open_in_memory() {
  database_ = std::make_unique<SQLite::Database>(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  apply_settings();
  create_schema(*database_);
  create_store_views(*database_);
}

void WisdomConnection::open() {
  open_readable();
  int format = 0;
  read([&](SQLite::Database& database) { format = check_format(database, file_); });
  if (!writable_ && format < wisdom_format)
    throw Error(
        fmt::format("the wisdom database {} has the older format {}; open it once for writing (attune tune), which "
                    "brings it to format {} and keeps a copy",
                    file_.string(), format, wisdom_format));
  check_content();
  if (writable_) {
    set_journal();
    if (format < wisdom_format)
      retry([this](SQLite::Database& database) { migrate(database, file_, wisdom_migrations, wisdom_format); });
  }
  check_tables();
  read(create_store_views);
}

void WisdomConnection::open_readable() {
  // One thread at a time: SQLite need not lock each access to a value.
  const int access = (writable_ ? SQLite::OPEN_READWRITE : SQLite::OPEN_READONLY) | SQLite::OPEN_NOMUTEX;
  try {
    database_ = std::make_unique<SQLite::Database>(file_.string(), access);
    apply_settings();
  } catch (const SQLite::Exception& error) {
    throw error_of(file_, failure_of(error, database_.get()));
  }
  // SQLite silently opens a file read-only if it may not write it.
  if (writable_ && sqlite3_db_readonly(database_->getHandle(), "main") != 0)
    throw wisdom_error(file_, {.code = SQLITE_READONLY, .message = "attempt to write a readonly database"});
}

void WisdomConnection::apply_settings() {
  sqlite3_db_config(database_->getHandle(), SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  // The schema has no triggers, so any trigger was put there by another program.
  sqlite3_db_config(database_->getHandle(), SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_limit(database_->getHandle(), SQLITE_LIMIT_ATTACHED, 0);
  set_sqlite_wait(*database_, std::min(sqlite_wait, wait_limit_));
  database_->exec(R"sql(
    PRAGMA trusted_schema = OFF;
    PRAGMA cell_size_check = ON;
    PRAGMA mmap_size = 0;
    PRAGMA foreign_keys = ON;
  )sql");
}

// Rolls back the journal that a killed writer may leave at any moment. A read-only connection may not do that, so a
// short-lived writing connection does. Returns false while another process holds the lock.
bool WisdomConnection::roll_back_journal() {
  try {
    SQLite::Database writing(file_.string(), SQLite::OPEN_READWRITE);
    refuse_foreign_journal(journal_of(writing));
    set_sqlite_wait(writing, sqlite_wait);
    writing.execAndGet(R"sql( PRAGMA schema_version )sql");
    return true;
  } catch (const SQLite::Exception& error) {
    if (is_busy(error.getErrorCode())) return false;
    throw Error(
        fmt::format("the wisdom database {} was being written when its writer was killed, and may not be repaired "
                    "by this process; open it once as its owner (attune tune) (SQLite: {})",
                    file_.string(), error.what()));
  }
}

// Checks the whole file, but not the trials of a large one. Throws for a damaged file only if it is to be written,
// because its sound rows can still be read.
void WisdomConnection::check_content() {
  std::string verdict, of_rows;
  std::error_code unknown;
  const bool is_large = std::filesystem::file_size(file_, unknown) > most_checked_bytes && !unknown;
  read([&](SQLite::Database& database) {
    verdict = is_large ? defect_beside_trials(database)
                       : database.execAndGet(R"sql( PRAGMA integrity_check(1) )sql").getString();
    if (verdict != "ok") of_rows = database.execAndGet(R"sql( PRAGMA quick_check(1) )sql").getString();
  });
  if (verdict == "ok") return;
  const Error damage =
      of_rows == "ok"
          ? Error(fmt::format("an index of the wisdom database {0} is damaged, and its rows are sound; make the "
                              "indexes anew (sqlite3 {0} REINDEX) ({1})",
                              file_.string(), verdict))
          : wisdom_error(file_, {.code = SQLITE_CORRUPT, .message = verdict});
  if (writable_) throw damage;
  if (waiting_.note) waiting_.note(fmt::format("{}; records may be missing here", damage.what()));
}

void WisdomConnection::check_tables() {
  std::int64_t last_row = 0;
  read([&](SQLite::Database& database) {
    attune::check_tables(database, file_);
    if (writable_) last_row = database.execAndGet(last_row_number).getInt64();
  });
  if (last_row > most_row_number)
    throw wisdom_error(file_, {.code = SQLITE_CORRUPT, .message = fmt::format("it has a row {}", last_row)});
}

// Sets a rollback journal, unless WAL is safe and is either requested or, without a request, in use. A WAL database
// cannot be read from a read-only directory, and the few writes per second of a tuner gain nothing from WAL.
void WisdomConnection::set_journal() {
  const auto asked = trusted_environment("ATTUNE_DB_JOURNAL");
  if (asked && *asked != "wal" && *asked != "truncate")
    throw UsageError(fmt::format("ATTUNE_DB_JOURNAL={} is neither `truncate` nor `wal`", *asked));
  const bool safe = wal_is_safe(sqlite3_libversion_number(), is_on_local_disk(file_));
  if (asked == "wal" && !safe)
    throw UsageError(fmt::format(
        "ATTUNE_DB_JOURNAL=wal needs a local disk and SQLite 3.51.3 (this is {}, and earlier ones can lose data); "
        "unset it to use {}",
        sqlite3_libversion(), file_.string()));
  retry([&](SQLite::Database& database) {
    const bool is_wal = database.execAndGet(R"sql( PRAGMA journal_mode )sql").getString() == "wal";
    const bool wal = safe && (asked ? *asked == "wal" : is_wal);
    database.exec(wal ? R"sql( PRAGMA journal_mode = WAL )sql" : R"sql( PRAGMA journal_mode = TRUNCATE )sql");
    database.exec(R"sql( PRAGMA synchronous = FULL )sql");
  });
}

void WisdomConnection::read(const Work& work) { retry(work); }

void WisdomConnection::write(const Work& work) {
  retry([&work](SQLite::Database& database) {
    // A transaction that begins with a read and then writes fails at once if another process wrote meanwhile.
    SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
    work(database);
    transaction.commit();
  });
}

void WisdomConnection::retry(const Work& work) {
  require_same_process();
  const std::atomic<int>* const stop = waiting_.stop;
  Wait wait(fmt::format("the wisdom database {}, which another process has locked; `fuser {}` finds that process",
                        file_.string(), file_.string()),
            stop, stop == nullptr || gave_up_ ? 0 : stop->load() + 1);
  for (;;) {
    set_sqlite_wait(*database_, std::clamp(wait_limit_ - wait.waited(), Seconds(0), sqlite_wait));
    try {
      if (writable_ && !in_memory_) refuse_foreign_journal(journal_of(*database_));
      return work(*database_);
    } catch (const SQLite::Exception& error) {
      SqliteFailure failure = failure_of(error, database_.get());
      if (failure.code == SQLITE_READONLY_ROLLBACK) {
        if (roll_back_journal()) continue;
        failure = {.code = SQLITE_BUSY, .message = sqlite3_errstr(SQLITE_BUSY)};
      }
      const Seconds waited = wait.waited();
      if (!is_busy(failure.code)) throw error_of(file_, failure, waited.count());
      if (waited >= wait_limit_) throw DatabaseLocked(error_of(file_, failure, waited.count()).what());
    }
    try {
      wait.go_on(waiting_.note);
    } catch (const WaitInterrupted&) {
      gave_up_ = true;
      throw;
    }
    pause_at_random();
  }
}

void WisdomConnection::require_same_process() const {
  if (process_ == getpid()) return;
  throw Error(fmt::format("the wisdom database {} was opened before fork(); open it again in the child process",
                          file_.string()));
}

}  // namespace attune
