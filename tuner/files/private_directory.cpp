#include "files/private_directory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "attune/error.hpp"
#include "base/mistrust.hpp"
#include "base/quiet_signal.hpp"
#include "base/system_failure.hpp"
#include "base/uuid.hpp"

namespace attune {
namespace {

[[noreturn]] void fail(const std::string& doing) { throw Error(fmt::format("{}: {}", doing, system_failure(errno))); }

std::vector<std::byte> read_all(int fd, std::size_t size) {
  std::vector<std::byte> content(size);
  std::size_t done = 0;
  while (done < size) {
    const ssize_t count = read(fd, content.data() + done, size - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("reading");
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  content.resize(done);
  return content;
}

}  // namespace

std::optional<Descriptor> open_private_directory(const std::filesystem::path& directory, const char* variable) {
  Descriptor opened(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!opened.open()) {
    if (errno == ENOENT) return {};
    struct stat named {};
    if (errno == ENOTDIR && lstat(directory.c_str(), &named) == 0 && S_ISLNK(named.st_mode))
      throw Error(
          fmt::format("{} is a symbolic link; name the directory itself with {}", directory.string(), variable));
    fail(directory.string());
  }
  struct stat status {};
  if (fstat(opened.get(), &status) != 0) fail(directory.string());
  if (const std::string reason = mistrust(status); !reason.empty())
    throw Error(fmt::format("{} {}", directory.string(), reason));
  return opened;
}

bool belongs_to_this_user(const Descriptor& directory) {
  struct stat status {};
  return fstat(directory.get(), &status) == 0 && status.st_uid == geteuid();
}

std::optional<std::vector<std::byte>> read_private_file(const Descriptor& directory, const std::string& name,
                                                        std::uint64_t longest, bool renew) {
  // O_NONBLOCK: a pipe in place of a file must not block.
  const Descriptor file(openat(directory.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file.open()) {
    if (errno == ENOENT) return {};
    if (errno == ELOOP) throw Error(fmt::format("{} is a symbolic link", name));
    fail(name);
  }
  struct stat status {};
  if (fstat(file.get(), &status) != 0) fail(name);
  if (!S_ISREG(status.st_mode)) throw Error(fmt::format("{} is not a regular file", name));
  if (const std::string reason = mistrust(status); !reason.empty()) throw Error(fmt::format("{} {}", name, reason));
  if (static_cast<std::uint64_t>(status.st_size) > longest)
    throw Error(fmt::format("{} has {} bytes, more than {}", name, status.st_size, longest));
  auto content = read_all(file.get(), static_cast<std::size_t>(status.st_size));
  if (renew)
    futimens(file.get(),
             nullptr);  // many systems mount noatime, so the time of use is set here; root's files keep theirs
  return content;
}

void write_all(int fd, std::span<const std::byte> content) {
  const QuietSignal beyond_limit(SIGXFSZ);
  while (!content.empty()) {
    const ssize_t written = write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail("writing");
    content = content.subspan(static_cast<std::size_t>(written));
  }
}

void replace_file(const Descriptor& directory, const std::string& name, std::span<const std::byte> content, mode_t mode,
                  const struct stat* old) {
  const std::string temporary = temporary_prefix + make_uuid();
  try {
    const Descriptor file(
        openat(directory.get(), temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
    if (!file.open()) fail(temporary);
    // A user who may not give the file away keeps it. The owner is set first, because changing it clears bits of the
    // mode.
    if (old != nullptr && (fchown(file.get(), old->st_uid, old->st_gid) == 0 || errno == EPERM))
      fchmod(file.get(), old->st_mode & 07777);
    write_all(file.get(), content);
    if (fsync(file.get()) != 0) fail(temporary);
    if (renameat(directory.get(), temporary.c_str(), directory.get(), name.c_str()) != 0) fail(name);
    fsync(directory.get());
  } catch (...) {
    unlinkat(directory.get(), temporary.c_str(), 0);
    throw;
  }
}

}  // namespace attune
