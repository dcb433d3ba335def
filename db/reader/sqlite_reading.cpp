#include "db/reader/sqlite_reading.hpp"

#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmath>
#include <limits>

#include "attune/error.hpp"
#include "base/identifier.hpp"
#include "db/wisdom_failure.hpp"
#include "db/wisdom_file.hpp"
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

// LIKE compares each place of a text with the whole pattern, in one step. attune's own queries have no patterns.
constexpr int most_pattern_bytes = 50;

// Reading the schema's version takes the lock.
constexpr const char *begin_reading = "BEGIN", *take_lock = "PRAGMA schema_version";

// Returns whether the same failure may not come again, although nobody changes the file.
bool may_pass(int code) noexcept {
  const int primary = code & 0xff;
  return is_busy(code) || primary == SQLITE_NOMEM || primary == SQLITE_IOERR || primary == SQLITE_CANTOPEN ||
         primary == SQLITE_PROTOCOL;
}

// Returns the name of a file for sqlite3_open_v2(), as a URI where SQLite is to take no locks. No byte of the name has
// a meaning there.
std::string name_to_open(const std::filesystem::path& file, bool is_immutable) {
  if (!is_immutable) return file.string();
  std::string uri = "file://";
  for (const unsigned char c : std::filesystem::absolute(file).string())
    uri += is_word(static_cast<char>(c)) || c == '/' || c == '.' ? std::string(1, static_cast<char>(c))
                                                                 : fmt::format("%{:02x}", c);
  return uri + "?immutable=1";
}

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
void ReadConnection::Close::operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }

ReadConnection::ReadConnection(const std::filesystem::path& file, double seconds, bool is_immutable)
    : file_(file), wal_(file.string() + "-wal"), process_(getpid()), seconds_(seconds) {
  find_identity(file_, identity_);
  sqlite3* handle = nullptr;
  const int code =
      sqlite3_open_v2(name_to_open(file, is_immutable).c_str(), &handle,
                      SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | (is_immutable ? SQLITE_OPEN_URI : 0), nullptr);
  handle_.reset(handle);
  if (code != SQLITE_OK) fail(code);
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, most_row_bytes);
  sqlite3_limit(handle, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, most_pattern_bytes);
  sqlite3_progress_handler(handle, steps_of_look, look_at_time, this);
  sqlite3_busy_timeout(handle, static_cast<int>(std::ceil(seconds * 1000)));
  if (const int set = sqlite3_exec(handle, settings, nullptr, nullptr, nullptr); set != SQLITE_OK) fail(set);
}

// In a child process the connection shares file offsets and locks with the parent, so it is not closed.
ReadConnection::~ReadConnection() {
  if (process_ == getpid()) return;
  for (auto& statement : statements_) static_cast<void>(statement.release());
  static_cast<void>(handle_.release());
}

bool ReadConnection::is_of_present_file() const noexcept {
  std::uint64_t present[2];
  return process_ == getpid() && find_identity(file_, present) && present[0] == identity_[0] &&
         present[1] == identity_[1];
}

// SQLite stops when this returns a number other than 0.
int ReadConnection::look_at_time(void* connection) noexcept {
  return thread_seconds() - static_cast<const ReadConnection*>(connection)->begun_ > most_reading_seconds;
}

void ReadConnection::begin() {
  begun_ = thread_seconds();
  bytes_ = 0;
  ReadStatement(*this, begin_reading).next();
  ReadStatement version(*this, take_lock);
  int found = version.step();
  if (found == SQLITE_READONLY_ROLLBACK) {
    version.reset();
    roll_back_journal();
    found = version.step();
  }
  if (found != SQLITE_ROW) fail(found);
  const std::int64_t schema = version.integer(0);
  has_new_schema_ = schema != schema_;
  schema_ = schema;
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
    refuse_foreign_journal(sqlite3_filename_journal(sqlite3_db_filename(writing, "main")));
    sqlite3_busy_timeout(writing, recovery_wait_ms);
    code = sqlite3_exec(writing, "PRAGMA schema_version", nullptr, nullptr, nullptr);
  }
  if (code != SQLITE_OK)
    throw PassingFailure(
        fmt::format("the wisdom database {} was being written when its writer was killed, and may not be "
                    "repaired by this process; open it once as its owner (attune tune) (SQLite: {})",
                    file_.string(), writing != nullptr ? sqlite3_errmsg(writing) : sqlite3_errstr(code)));
}

void ReadConnection::fail(int code) {
  failed_ = true;
  SqliteFailure failure;
  failure.code = code;
  failure.message = handle_ != nullptr ? sqlite3_errmsg(handle_.get()) : sqlite3_errstr(code);
  if (handle_ != nullptr && ((code & 0xff) == SQLITE_IOERR || (code & 0xff) == SQLITE_CANTOPEN))
    failure.system_error = sqlite3_system_errno(handle_.get());
  const Error error = wisdom_error(file_, failure, seconds_);
  if (is_busy(code)) throw DatabaseLocked(error.what());
  if (may_pass(code)) throw PassingFailure(error.what());
  throw error;
}

std::int64_t ReadConnection::number(const char* query) {
  ReadStatement statement(*this, query);
  return statement.next() ? statement.integer(0) : 0;
}

// Prepared statements stay with their connection.
ReadStatement::ReadStatement(ReadConnection& connection, std::string_view query) : connection_(connection) {
  for (const auto& kept : connection.statements_) {
    handle_ = kept.get();
    if (query == sqlite3_sql(handle_)) return;
  }
  if (const int code = sqlite3_prepare_v3(connection.handle_.get(), query.data(), static_cast<int>(query.size()),
                                          SQLITE_PREPARE_PERSISTENT, &handle_, nullptr);
      code != SQLITE_OK)
    connection.fail(code);
  connection.statements_.emplace_back(handle_);
}

ReadStatement::~ReadStatement() { sqlite3_reset(handle_); }

void ReadStatement::bind(int parameter, std::string_view text) {
  if (const int code =
          sqlite3_bind_text(handle_, parameter, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
      code != SQLITE_OK)
    connection_.fail(code);
}

int ReadStatement::step() { return sqlite3_step(handle_); }

bool ReadStatement::next() {
  const int code = step();
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) connection_.fail(code);
  return false;
}

void ReadStatement::reset() { sqlite3_reset(handle_); }

std::string_view ReadStatement::text(int column) const {
  const auto* const text = reinterpret_cast<const char*>(sqlite3_column_text(handle_, column));
  if (text == nullptr) return {};
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(handle_, column));
  if ((connection_.bytes_ += size + sizeof(std::string)) > most_reading_bytes) connection_.fail(SQLITE_TOOBIG);
  return {text, size};
}

std::int64_t ReadStatement::integer(int column) const { return sqlite3_column_int64(handle_, column); }

double ReadStatement::real(int column) const {
  return is_null(column) ? std::numeric_limits<double>::quiet_NaN() : sqlite3_column_double(handle_, column);
}

bool ReadStatement::is_null(int column) const { return sqlite3_column_type(handle_, column) == SQLITE_NULL; }

}  // namespace attune
