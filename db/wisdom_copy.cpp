#include "db/wisdom_copy.hpp"

#include <SQLiteCpp/Backup.h>
#include <SQLiteCpp/Exception.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include <system_error>

#include "attune/error.hpp"
#include "db/wisdom_failure.hpp"
#include "db/wisdom_file.hpp"

namespace attune {
namespace fs = std::filesystem;
namespace {

constexpr int copy_wait_ms = 30000;  // as a writer waits for a lock

}  // namespace

void copy_database(const fs::path& from, const fs::path& to) {
  const auto failure = [&](int code, const std::string& message) {
    if (code == SQLITE_FULL)
      return Error(fmt::format("there is no room for a copy of {} in {}: the disk is full; make room and try again",
                               from.string(), fs::absolute(to).parent_path().string()));
    return wisdom_error(from, {.code = code, .message = message});
  };
  try {
    SQLite::Database source(from.string(), SQLite::OPEN_READONLY);
    source.setBusyTimeout(copy_wait_ms);
    SQLite::Database target(to.string(), SQLite::OPEN_READWRITE);
    SQLite::Backup backup(target, source);
    if (const int code = backup.executeStep(); code != SQLITE_DONE) throw failure(code, sqlite3_errstr(code));
  } catch (const SQLite::Exception& error) {
    throw failure(error.getErrorCode(), error.what());
  }
}

void keep_backup(const fs::path& file) {
  const fs::path newest = file.string() + ".bak-1", older = file.string() + ".bak-2";
  std::error_code absent;  // the first backup has none before it
  fs::rename(newest, older, absent);
  replace_wisdom_file(newest, [&](const fs::path& fresh) { copy_database(file, fresh); });
}

}  // namespace attune
