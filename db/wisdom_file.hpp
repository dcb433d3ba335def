// The wisdom database as a file, before and beside SQLite: what may be opened, how a new one comes into being, and
// which journal its file system can bear.
#pragma once

#include <filesystem>
#include <functional>

namespace attune {

// Whether there is a file that SQLite may be shown. Throws Error for what can be no wisdom database (a directory, a
// device, an empty file) and for what this process may not read or, with `writable`, write.
bool wisdom_file_exists(const std::filesystem::path& file, bool writable);

// Makes a new file of mode 0600, complete or not at all: `fill` is given a private path in the same directory, whose
// empty file it turns into a database; the result then takes the name `file` unless another process was faster, whose
// file is left as it is. Creates the directory. Throws Error, and whatever `fill` throws.
void create_wisdom_file(const std::filesystem::path& file,
                        const std::function<void(const std::filesystem::path&)>& fill);

// Copies are published in the same way, but replace what has the name.
void replace_wisdom_file(const std::filesystem::path& file,
                         const std::function<void(const std::filesystem::path&)>& fill);

// Whether `file` lies on a local disk as far as the system tells; network and user-space file systems do not.
bool is_on_local_disk(const std::filesystem::path& file);
// SQLite before 3.51.3 can lose a WAL database's content when it is reset (fixed there), and WAL needs shared memory
// between all its users, so a local disk.
bool wal_is_safe(int sqlite_version_number, bool local_disk) noexcept;

}  // namespace attune
