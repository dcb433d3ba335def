// A directory that belongs to this user alone, held open: files in it are reached relative to it, so that nothing that
// happens to its name meanwhile can lead elsewhere. Owned by one thread. The functions throw Error.
#pragma once

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

// Nothing when the directory is absent. Throws when it is no directory, a symbolic link, another user's, or can be
// written by others.
std::optional<Descriptor> open_private_directory(const std::filesystem::path& directory);

// The content of a file, whose time of use becomes now. Nothing when it is absent; throws when it is no regular file, a
// symbolic link, another user's, can be written by others, or is longer than `longest`.
std::optional<std::vector<std::byte>> read_private_file(const Descriptor& directory, const std::string& name,
                                                        std::uint64_t longest);

// Writes all of it, to the disk, under a temporary name, then gives it `name`, replacing what had it. Throws.
void write_private_file(const Descriptor& directory, const std::string& name, std::span<const std::byte> content);

// Temporary files begin with this.
constexpr const char* temporary_prefix = ".new-";

}  // namespace attune
