// The wisdom database as a file, beside SQLite: its opening, its creation, and the journal that its disk allows.
#pragma once

#include <filesystem>
#include <functional>

namespace attune {

// Returns whether there is a file that SQLite may open. Throws Error for what can be no wisdom database: a directory, a
// device, an empty file. Throws it too for a file that this process may not read or, with `writable`, write.
bool wisdom_file_exists(const std::filesystem::path& file, bool writable);

// Makes a new file of mode 0600, complete or not at all, and its directory. `fill` makes a database of an empty private
// file in the same directory. The result is renamed to `file` unless another process made `file` first: that one stays.
// Throws Error, and whatever `fill` throws.
void create_wisdom_file(const std::filesystem::path& file,
                        const std::function<void(const std::filesystem::path&)>& fill);

// Makes a file in the same way, but replaces an existing one.
void replace_wisdom_file(const std::filesystem::path& file,
                         const std::function<void(const std::filesystem::path&)>& fill);

// Returns whether the system reports a local disk for `file`; network and user-space file systems are none.
bool is_on_local_disk(const std::filesystem::path& file);
// Returns whether the file says that it has a write-ahead log.
bool is_in_wal_mode(const std::filesystem::path& file) noexcept;
// Returns whether WAL is safe. A reset of a WAL database can lose its content before SQLite 3.51.3. WAL also needs
// shared memory between all its users, so a local disk.
bool wal_is_safe(int sqlite_version_number, bool local_disk) noexcept;

}  // namespace attune
