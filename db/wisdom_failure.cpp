#include "db/wisdom_failure.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cerrno>
#include <cstring>
#include <iterator>

#include "base/system_failure.hpp"

namespace attune {
namespace {

// {file} and {waited} are replaced. The last entry is for every code that is not listed.
struct Meaning {
  int code;  // primary result code
  const char* text;
};
constexpr Meaning meanings[] = {
    {SQLITE_BUSY,
     "the wisdom database {file} is locked by another process (waited {waited:.3g} s); find it with `fuser {file}`, "
     "let it "
     "finish or end it, then try again"},
    {SQLITE_LOCKED,
     "the wisdom database {file} is locked by this process itself (waited {waited:.3g} s); finish what reads it, then "
     "try "
     "again"},
    {SQLITE_FULL,
     "the disk is full: nothing could be added to the wisdom database {file}; what was stored before is safe; make "
     "room and "
     "try again"},
    {SQLITE_IOERR,
     "reading or writing the wisdom database {file} failed; what was stored before is safe unless the disk is failing; "
     "check "
     "the disk (dmesg) and free space (df), then try again"},
    {SQLITE_CORRUPT,
     "the wisdom database {file} is damaged; move it away (mv {file} {file}.damaged) and put a copy of yours in its "
     "place, or "
     "tune again"},
    {SQLITE_NOTADB,
     "{file} is not a wisdom database (not an SQLite file); move it away, or name another file with ATTUNE_DB"},
    {SQLITE_READONLY,
     "the wisdom database {file} cannot be written; check the permissions of the file and of its directory"},
    {SQLITE_CANTOPEN,
     "the wisdom database {file} cannot be opened; check that its directory exists and that file and directory are "
     "yours to "
     "read and write"},
    {SQLITE_PERM, "the wisdom database {file} cannot be opened: permission denied; check who owns it (ls -l {file})"},
    {SQLITE_NOMEM, "out of memory while using the wisdom database {file}"},
    {SQLITE_PROTOCOL,
     "the file system of the wisdom database {file} does not lock files reliably; name a file on a local disk with "
     "ATTUNE_DB"},
    {SQLITE_ERROR,
     "the wisdom database {file} does not have the tables that attune expects; move it away, or name another file with "
     "ATTUNE_DB"},
    {SQLITE_INTERRUPT,
     "reading the wisdom database {file} takes longer than a look-up may: another program has changed it; move it "
     "away (mv {file} {file}.damaged), or name another file with ATTUNE_DB"},
    {SQLITE_CONSTRAINT, "the wisdom database {file} refused a row that contradicts what it holds"},
    {SQLITE_TOOBIG, "a row of the wisdom database {file} is larger than attune makes them"},
    {-1, "using the wisdom database {file} failed"},
};

const char* meaning_of(int primary) noexcept {
  for (const Meaning& meaning : meanings)
    if (meaning.code == primary) return meaning.text;
  return std::end(meanings)[-1].text;
}

}  // namespace

bool is_busy(int code) noexcept { return (code & 0xff) == SQLITE_BUSY || (code & 0xff) == SQLITE_LOCKED; }

Error wisdom_error(const std::filesystem::path& file, const SqliteFailure& failure, double waited_seconds) {
  const int primary = failure.code < 0 ? failure.code : failure.code & 0xff, cause = failure.system_error;
  const std::string system = cause != 0 ? fmt::format(", {}", std::strerror(cause)) : "";
  const std::string_view remedy = system_failure(cause);
  std::string text = meaning_of(primary);
  if (remedy != std::strerror(cause))  // the system's reason says more than SQLite's message
    text = fmt::format("the wisdom database {{file}} cannot be used: {}; what was stored before is safe", remedy);
  return Error(
      fmt::format("{} (SQLite {}: {}{})",
                  fmt::format(fmt::runtime(text), fmt::arg("file", file.string()), fmt::arg("waited", waited_seconds)),
                  failure.code, failure.message, system));
}

}  // namespace attune
