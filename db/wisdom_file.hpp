// What the wisdom database needs as a file, besides SQLite: whether it may be opened, how it is created, and which
// journal its disk allows. Any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>

namespace attune {

// Returns whether there is a file that SQLite may open. Throws Error for what cannot be a wisdom database (a directory,
// a device, an empty file), and for a file that this process may not read or, with `writable`, write. Throws
// PassingFailure if the system cannot tell at present.
bool wisdom_file_exists(const std::filesystem::path& file, bool writable);

// Makes a new file of mode 0600, complete or not at all, and its directory. `fill` turns an empty private file in the
// same directory into a database, which is then renamed to `file`. If another process made `file` first, its file
// stays. Throws Error, and what `fill` throws.
void create_wisdom_file(const std::filesystem::path& file,
                        const std::function<void(const std::filesystem::path&)>& fill);

// Makes a file as create_wisdom_file() does, but in a directory that exists, and replaces an existing file.
void replace_wisdom_file(const std::filesystem::path& file,
                         const std::function<void(const std::filesystem::path&)>& fill);

// Calls `use` with an empty file of mode 0600 in the directory of `file`, and removes the file afterwards. Throws
// Error, and what `use` throws.
void with_private_file(const std::filesystem::path& file, const std::function<void(const std::filesystem::path&)>& use);

// Returns whether the system reports a local disk for `file`. Network and user-space file systems do not count as
// local.
bool is_on_local_disk(const std::filesystem::path& file);
// Returns the name of a network file system by its number in statfs(2): "NFS"; "" for any other file system. FUSE
// counts as one, because nothing says what is behind it.
std::string_view network_file_system(std::uint64_t number) noexcept;
// Throws Error if `file`, which need not exist, would be written on a network file system, unless ATTUNE_DB_NETWORK is
// `allow`. Throws UsageError for another value of it.
void require_local_writing(const std::filesystem::path& file);
// Throws Error if a rollback journal names another file. SQLite would remove that file after the rollback. It writes
// such names for transactions of several databases, which attune does not have.
void refuse_foreign_journal(const char* journal);
// Returns whether the file's header says that it has a write-ahead log.
bool is_in_wal_mode(const std::filesystem::path& file) noexcept;
// Returns whether WAL is safe. Before SQLite 3.51.3 a reset of a WAL database can lose its content. WAL also needs a
// local disk, because all its users share memory.
bool wal_is_safe(int sqlite_version_number, bool local_disk) noexcept;

}  // namespace attune
