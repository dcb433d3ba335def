// A directory that this user alone may write, or root alone, held open. Files in it are reached relative to it: a
// change of its name cannot lead elsewhere. Owned by one thread. The functions throw Error.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace attune {

// A file descriptor, closed at the end.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) noexcept : fd_(fd) {}
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  Descriptor& operator=(Descriptor&&) = delete;
  int get() const noexcept { return fd_; }
  bool open() const noexcept { return fd_ >= 0; }

 private:
  int fd_;
};

// Returns nothing when the directory is absent. Throws when it is no directory, a symbolic link, another user's but
// root's, or writable by others. `variable` is what names the directory.
std::optional<Descriptor> open_private_directory(const std::filesystem::path& directory, const char* variable);

// Returns whether it is this user's, not root's to be read alone.
bool belongs_to_this_user(const Descriptor& directory);

// Returns the content of a file; sets its time of use to now, if `renew`. Returns nothing when it is absent. Throws
// when it is no regular file, a symbolic link, another user's but root's, writable by others, or longer than `longest`.
std::optional<std::vector<std::byte>> read_private_file(const Descriptor& directory, const std::string& name,
                                                        std::uint64_t longest, bool renew);

void write_all(int fd, std::span<const std::byte> content);

// Writes all of it to the disk under a temporary name, then renames it to `name`, replacing such a file. Throws Error.
// The file has `mode`; where `old` is given, it has owner and mode of that one.
void replace_file(const Descriptor& directory, const std::string& name, std::span<const std::byte> content, mode_t mode,
                  const struct stat* old = nullptr);

constexpr mode_t private_file_mode = 0600;

// Temporary files begin with this.
constexpr const char* temporary_prefix = ".new-";

}  // namespace attune
