#include "db/wisdom_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <iterator>

#include "attune/error.hpp"
#include "base/system_failure.hpp"
#include "base/trusted_environment.hpp"
#include "base/uuid.hpp"
#include "files/paths.hpp"
#include "kernel/record_table.hpp"

namespace attune {
namespace fs = std::filesystem;
namespace {

constexpr mode_t wisdom_file_mode = 0600;
constexpr int first_sqlite_with_sound_wal = 3051003;

// File systems of local disks and of memory, on which WAL's shared memory works. Unknown file systems count as remote.
constexpr unsigned long local_file_systems[] = {
    EXT4_SUPER_MAGIC,  // ext2, ext3, ext4
    XFS_SUPER_MAGIC,  BTRFS_SUPER_MAGIC, TMPFS_MAGIC, F2FS_SUPER_MAGIC,
    0x2fc12fc1,  // ZFS
    0xca451a4e,  // bcachefs
};

struct NetworkFileSystem {
  std::uint64_t number;
  std::string_view name;
};
constexpr NetworkFileSystem network_file_systems[] = {
    {0x6969, "NFS"},     {0x517b, "SMB"},        {0xff534d42, "CIFS"},   {0xfe534d42, "SMB"},  {0x65735546, "FUSE"},
    {0x01021997, "9p"},  {0x0bd00bd0, "Lustre"}, {0x47504653, "GPFS"},   {0x00c36400, "Ceph"}, {0x5346414f, "AFS"},
    {0x6b414653, "AFS"}, {0x73757245, "Coda"},   {0x19830326, "BeeGFS"}, {0x01161970, "GFS2"}, {0xaad7aaea, "PanFS"},
};

std::string system_reason() { return system_failure(errno); }

void require_access(const fs::path& path, int mode, const std::string& what) {
  if (faccessat(AT_FDCWD, path.c_str(), mode, AT_EACCESS) == 0) return;
  throw Error(fmt::format("{}: {}; check who owns it (ls -ld {}), or name another file with ATTUNE_DB", what,
                          system_reason(), path.string()));
}

void require_plain_file(const fs::path& file, const struct stat& status) {
  if (S_ISDIR(status.st_mode))
    throw Error(fmt::format("{} is a directory, not a wisdom database; name a file, such as {}", file.string(),
                            (file / "wisdom.db").string()));
  if (!S_ISREG(status.st_mode))
    throw Error(fmt::format("{} is not a regular file, so no wisdom database; name another file", file.string()));
  // SQLite takes an empty file for an empty database, so lost wisdom would look like no wisdom.
  if (status.st_size == 0)
    throw Error(
        fmt::format("{0} is empty: it was truncated or is not a wisdom database; move it away (mv {0} {0}.empty) and "
                    "put a copy of yours in its place, or tune again",
                    file.string()));
}

void sync_directory(const fs::path& directory) {
  const int fd = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  fsync(fd);
  close(fd);
}

constexpr std::string_view fresh_mark = ".new-";
constexpr std::time_t abandoned_after_s = 3600;  // without a write: its writer was killed

bool is_name_of_fresh(std::string_view name) {
  constexpr std::size_t uuid_length = 36;
  constexpr std::string_view journal = "-journal";
  if (name.ends_with(journal)) name.remove_suffix(journal.size());
  const std::size_t mark = name.rfind(fresh_mark);
  return name.starts_with('.') && mark != std::string_view::npos &&
         name.size() == mark + fresh_mark.size() + uuid_length &&
         name.find_first_not_of("0123456789abcdef-", mark + fresh_mark.size()) == std::string_view::npos;
}

// Removes what this user's writers left in a folder when they were killed. A writer that lives on after all fails with
// an error.
void sweep_abandoned(const fs::path& folder) {
  std::error_code end;
  for (fs::directory_iterator entry(folder, end), none; !end && entry != none; entry.increment(end)) {
    struct stat status {};
    if (is_name_of_fresh(entry->path().filename().string()) && lstat(entry->path().c_str(), &status) == 0 &&
        S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
        std::time(nullptr) - status.st_mtime > abandoned_after_s)
      unlink(entry->path().c_str());
  }
}

// An empty file with a new name in the directory of `file`. The file and its journal are removed when the object goes
// out of scope.
class PrivateFile {
 public:
  explicit PrivateFile(const fs::path& file)
      : path_(file.parent_path() / fmt::format(".{}{}{}", file.filename().string(), fresh_mark, make_uuid())) {
    sweep_abandoned(file.has_parent_path() ? file.parent_path() : ".");
    const int fd = open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, wisdom_file_mode);
    if (fd < 0) throw Error(fmt::format("cannot create {}: {}", file.string(), system_reason()));
    close(fd);
  }
  ~PrivateFile() {
    unlink(path_.c_str());
    unlink((path_.string() + "-journal").c_str());
  }
  PrivateFile(const PrivateFile&) = delete;
  PrivateFile& operator=(const PrivateFile&) = delete;
  const fs::path& path() const noexcept { return path_; }

 private:
  fs::path path_;
};

// Gives the file `from` the name `to` unless `to` exists. Returns whether it did.
bool publish(const fs::path& from, const fs::path& to) {
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return true;
  if (errno == EEXIST) return false;
  // Some file systems lack RENAME_NOREPLACE, but most of these have hard links.
  if (link(from.c_str(), to.c_str()) == 0) return true;
  if (errno == EEXIST) return false;
  throw Error(fmt::format("cannot create {}: {}", to.string(), system_reason()));
}

}  // namespace

bool wisdom_file_exists(const fs::path& file, bool writable) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0) {
    if (errno == ENOENT && lstat(file.c_str(), &status) == 0)
      throw Error(fmt::format(
          "{} is a symbolic link to a file that does not exist; remove the link or restore its target", file.string()));
    if (errno == ENOENT) return false;
    const bool may_pass = errno == EIO || errno == ENOMEM || errno == ESTALE;
    const Error error(fmt::format("cannot open the wisdom database {}: {}; name another file with ATTUNE_DB",
                                  file.string(), system_reason()));
    if (may_pass) throw PassingFailure(error.what());
    throw error;
  }
  require_plain_file(file, status);
  require_access(file, R_OK, fmt::format("the wisdom database {} cannot be read", file.string()));
  if (!writable) return true;
  require_access(file, W_OK, fmt::format("the wisdom database {} cannot be written", file.string()));
  const fs::path directory = fs::canonical(file).parent_path();  // SQLite puts the journal beside the target of a link
  require_access(directory, W_OK | X_OK,
                 fmt::format("the wisdom database {} cannot be written: its journal needs the directory {}",
                             file.string(), directory.string()));
  return true;
}

void create_wisdom_file(const fs::path& file, const std::function<void(const fs::path&)>& fill) {
  make_private_directory(file.parent_path(), "ATTUNE_DB");
  const PrivateFile fresh(file);
  fill(fresh.path());
  if (publish(fresh.path(), file)) sync_directory(file.parent_path());
}

void replace_wisdom_file(const fs::path& file, const std::function<void(const fs::path&)>& fill) {
  const PrivateFile fresh(file);
  fill(fresh.path());
  if (rename(fresh.path().c_str(), file.c_str()) != 0)
    throw Error(fmt::format("cannot write {}: {}", file.string(), system_reason()));
  sync_directory(file.parent_path());
}

void with_private_file(const fs::path& file, const std::function<void(const fs::path&)>& use) {
  const PrivateFile fresh(file);
  use(fresh.path());
}

bool is_on_local_disk(const fs::path& file) {
  struct statfs status {};
  if (statfs(file.c_str(), &status) != 0) return false;
  return std::find(std::begin(local_file_systems), std::end(local_file_systems),
                   static_cast<unsigned long>(status.f_type)) != std::end(local_file_systems);
}

std::string_view network_file_system(std::uint64_t number) noexcept {
  for (const NetworkFileSystem& one : network_file_systems)
    if (one.number == number) return one.name;
  return {};
}

void require_local_writing(const fs::path& file) {
  const auto asked = trusted_environment("ATTUNE_DB_NETWORK");
  if (asked && *asked != "allow") throw UsageError(fmt::format("ATTUNE_DB_NETWORK={} is not `allow`", *asked));
  struct statfs status {};
  fs::path place = file;  // or the nearest folder above that exists
  while (statfs(place.c_str(), &status) != 0 && errno == ENOENT && place.has_relative_path())
    place = place.parent_path();
  const std::string_view name = network_file_system(static_cast<std::uint32_t>(status.f_type));
  if (name.empty() || asked) return;
  throw Error(fmt::format(
      "{} lies on a network file system ({}), where locks may fail and several writers can damage the "
      "database; it can be read there; to tune, name a file on a local disk (ATTUNE_DB) and copy it, or set "
      "ATTUNE_DB_NETWORK=allow if nobody else writes it at the same time",
      file.string(), name));
}

// Source: https://www.sqlite.org/fileformat.html#the_rollback_journal, and readSuperJournal() of SQLite: such a journal
// ends with the name's length, its checksum, and the bytes with which each journal begins.
[[gnu::cold]] void refuse_foreign_journal(const char* journal) {
  constexpr std::string_view magic("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", 8);
  const int fd = open(journal, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return;
  char last[8];
  const off_t place = lseek(fd, -8, SEEK_END);
  const bool is_foreign =
      place > 0 && pread(fd, last, sizeof last, place) == sizeof last && std::string_view(last, 8) == magic;
  close(fd);
  if (is_foreign)
    throw Error(
        fmt::format("the journal {0} names a file to remove, as no journal of attune does: another program has "
                    "made it; move it away (mv {0} {0}.foreign), or name another database with ATTUNE_DB",
                    journal));
}

// Source: https://www.sqlite.org/fileformat.html#file_format_version_numbers
bool is_in_wal_mode(const fs::path& file) noexcept {
  constexpr off_t place = 18;
  constexpr unsigned char wal = 2;
  unsigned char version = 0;
  const int fd = open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return false;
  const ssize_t read = pread(fd, &version, 1, place);
  close(fd);
  return read == 1 && version == wal;
}

bool wal_is_safe(int sqlite_version_number, bool local_disk) noexcept {
  return local_disk && sqlite_version_number >= first_sqlite_with_sound_wal;
}

}  // namespace attune
