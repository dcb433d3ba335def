// A directory that only this user, or only root, may write, held open. Its files are opened relative to the open
// directory, so that renaming the directory cannot lead elsewhere. Owned by one thread. The functions throw Error.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/descriptor.hpp"

namespace attune {

// Opens the directory; returns nothing if it is absent. Throws if it is not a directory, is a symbolic link, belongs to
// another user than this one and root, or is writable by others. `variable` is the environment variable that names the
// directory.
std::optional<Descriptor> open_private_directory(const std::filesystem::path& directory, const char* variable);

// Returns whether the directory belongs to this user. Otherwise it is root's and can only be read.
bool belongs_to_this_user(const Descriptor& directory);

// Returns the content of a file, or nothing if it is absent. If `renew`, sets its time of use to now. Throws if the
// file is not regular, is a symbolic link, belongs to another user than this one and root, is writable by others, or
// has more than `longest` bytes.
std::optional<std::vector<std::byte>> read_private_file(const Descriptor& directory, const std::string& name,
                                                        std::uint64_t longest, bool renew);

// Writes all of it. Throws Error; so it does where a limit of file sizes (`ulimit -f`) would else end the process.
void write_all(int fd, std::span<const std::byte> content);

// Writes all of `content` to disk under a temporary name, then renames the file to `name`, replacing any file of this
// name. Throws Error. The file has `mode`, or, if `old` is given, the owner and mode of `old`.
void replace_file(const Descriptor& directory, const std::string& name, std::span<const std::byte> content, mode_t mode,
                  const struct stat* old = nullptr);

constexpr mode_t private_file_mode = 0600;

// The names of temporary files begin with this.
constexpr const char* temporary_prefix = ".new-";

}  // namespace attune
