#include "db/reader/sqlite_reading.hpp"

#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmath>
#include <limits>

#include "attune/error.hpp"
#include "db/wisdom_failure.hpp"
#include "db/wisdom_format.hpp"
#include "kernel/record_table.hpp"

namespace attune {
namespace {

// How long the rollback of a killed writer's journal waits for the lock. There is one attempt, and the rollback itself
// has no limit.
constexpr int recovery_wait_ms = 5000;

// Settings of every connection (docs/formats/wisdom.md) that have no call of their own.
constexpr const char* settings = "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0";

// How many steps SQLite's machine makes between two looks at the clock. One step may make a text of a row's length.
constexpr int steps_of_look = 1000;

// Returns the processor time of this thread, which neither a stopped process nor a slow disk uses up.
double thread_seconds() noexcept {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Reading the schema's version takes the lock.
constexpr const char* begin_reading = "BEGIN; PRAGMA schema_version";

// Sets the device and inode of a file. Returns whether there is such a file.
bool find_identity(const std::filesystem::path& file, std::uint64_t (&identity)[2]) noexcept {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0) return false;
  identity[0] = status.st_dev;
  identity[1] = status.st_ino;
  return true;
}

}  // namespace

void ReadConnection::Close::operator()(sqlite3* handle) const noexcept { sqlite3_close_v2(handle); }

ReadConnection::ReadConnection(const std::filesystem::path& file, double seconds)
    : file_(file), wal_(file.string() + "-wal"), process_(getpid()), seconds_(seconds) {
  find_identity(file_, identity_);
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(file.c_str(), &handle, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nullptr);
  handle_.reset(handle);
  if (code != SQLITE_OK) fail(code);
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, most_row_bytes);
  sqlite3_progress_handler(handle, steps_of_look, look_at_time, this);
  sqlite3_set_authorizer(handle, allow_plain_reading, this);
  sqlite3_busy_timeout(handle, static_cast<int>(std::ceil(seconds * 1000)));
  if (const int set = sqlite3_exec(handle, settings, nullptr, nullptr, nullptr); set != SQLITE_OK) fail(set);
}

// In a child process the connection shares file offsets and locks with the parent, so it is not closed.
ReadConnection::~ReadConnection() {
  if (process_ != getpid()) static_cast<void>(handle_.release());
}

bool ReadConnection::is_of_present_file() const noexcept {
  std::uint64_t present[2];
  return process_ == getpid() && find_identity(file_, present) && present[0] == identity_[0] &&
         present[1] == identity_[1];
}

// attune's view calls no function and is not recursive. Other views may be, and may then never end.
int ReadConnection::allow_plain_reading(void* connection, int action, const char*, const char*, const char*,
                                        const char*) noexcept {
  if (action != SQLITE_FUNCTION && action != SQLITE_RECURSIVE && action != SQLITE_ATTACH) return SQLITE_OK;
  static_cast<ReadConnection*>(connection)->is_denied_ = true;
  return SQLITE_DENY;
}

// SQLite stops when this returns a number other than 0.
int ReadConnection::look_at_time(void* connection) noexcept {
  return thread_seconds() - static_cast<const ReadConnection*>(connection)->begun_ > most_reading_seconds;
}

void ReadConnection::begin() {
  begun_ = thread_seconds();
  bytes_ = 0;
  const int found = sqlite3_exec(handle_.get(), begin_reading, nullptr, nullptr, nullptr);
  if (found == SQLITE_READONLY_ROLLBACK)
    roll_back_journal();
  else if (found != SQLITE_OK)
    fail(found);
}

// A connection to a database in WAL mode holds a lock as long as it is open, so it is not kept.
bool ReadConnection::end() noexcept {
  std::uint64_t of_wal[2];
  return sqlite3_exec(handle_.get(), "COMMIT", nullptr, nullptr, nullptr) == SQLITE_OK && !failed_ &&
         !find_identity(wal_, of_wal);
}

// Rolls back the journal that a killed writer left, which a read-only connection may not do.
void ReadConnection::roll_back_journal() {
  sqlite3* writing = nullptr;
  int code = sqlite3_open_v2(file_.c_str(), &writing, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
  const std::unique_ptr<sqlite3, Close> owner(writing);
  if (code == SQLITE_OK) {
    sqlite3_busy_timeout(writing, recovery_wait_ms);
    code = sqlite3_exec(writing, "PRAGMA schema_version", nullptr, nullptr, nullptr);
  }
  if (code != SQLITE_OK)
    throw Error(
        fmt::format("the wisdom database {} was being written when its writer was killed, and may not be "
                    "repaired by this process; open it once as its owner (attune tune) (SQLite: {})",
                    file_.string(), writing != nullptr ? sqlite3_errmsg(writing) : sqlite3_errstr(code)));
}

void ReadConnection::fail(int code) {
  failed_ = true;
  SqliteFailure failure;
  failure.code = is_denied_ ? SQLITE_AUTH : code;
  failure.message = handle_ != nullptr ? sqlite3_errmsg(handle_.get()) : sqlite3_errstr(code);
  if (handle_ != nullptr && ((code & 0xff) == SQLITE_IOERR || (code & 0xff) == SQLITE_CANTOPEN))
    failure.system_error = sqlite3_system_errno(handle_.get());
  const Error error = wisdom_error(file_, failure, seconds_);
  if (is_busy(code)) throw DatabaseLocked(error.what());
  throw error;
}

std::int64_t ReadConnection::number(const char* query) {
  ReadStatement statement(*this, query);
  return statement.next() ? statement.integer(0) : 0;
}

void ReadStatement::Finalize::operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }

ReadStatement::ReadStatement(ReadConnection& connection, std::string_view query) : connection_(connection) {
  sqlite3_stmt* statement = nullptr;
  const int code =
      sqlite3_prepare_v2(connection.handle_.get(), query.data(), static_cast<int>(query.size()), &statement, nullptr);
  handle_.reset(statement);
  if (code != SQLITE_OK) connection.fail(code);
}

void ReadStatement::bind(int parameter, std::string_view text) {
  if (const int code =
          sqlite3_bind_text(handle_.get(), parameter, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
      code != SQLITE_OK)
    connection_.fail(code);
}

bool ReadStatement::next() {
  const int code = sqlite3_step(handle_.get());
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) connection_.fail(code);
  return false;
}

void ReadStatement::reset() { sqlite3_reset(handle_.get()); }

std::string_view ReadStatement::text(int column) const {
  const auto* const text = reinterpret_cast<const char*>(sqlite3_column_text(handle_.get(), column));
  if (text == nullptr) return {};
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column));
  if ((connection_.bytes_ += size) > most_reading_bytes) connection_.fail(SQLITE_TOOBIG);
  return {text, size};
}

std::int64_t ReadStatement::integer(int column) const { return sqlite3_column_int64(handle_.get(), column); }

double ReadStatement::real(int column) const {
  return is_null(column) ? std::numeric_limits<double>::quiet_NaN() : sqlite3_column_double(handle_.get(), column);
}

bool ReadStatement::is_null(int column) const { return sqlite3_column_type(handle_.get(), column) == SQLITE_NULL; }

}  // namespace attune
