#include "base/regular_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/system_failure.hpp"

namespace attune {
namespace {

std::string why_not(int error) {
  if (error == ENOENT) return "there is no such file";
  if (error == EISDIR) return "it is a folder, no regular file";
  return error == EINVAL ? "it is no regular file" : system_failure(error);
}

}  // namespace

int open_regular(const char* path, struct stat& status) noexcept {
  const int file = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (file < 0) {
    if (errno == ENXIO) errno = EINVAL;  // a socket
    return -1;
  }
  if (fstat(file, &status) == 0 && S_ISREG(status.st_mode)) return file;
  close(file);
  errno = S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
  return -1;
}

FileText read_regular_file(const std::filesystem::path& file, std::uint64_t most) {
  struct stat status {};
  const int opened = open_regular(file.c_str(), status);
  if (opened < 0) return {"", why_not(errno)};
  FileText read{"", ""};
  constexpr std::uint64_t piece = std::uint64_t{1} << 20;
  ssize_t count = 1;
  while (count > 0 && read.text.size() <= most) {
    const std::size_t done = read.text.size();
    read.text.resize(done + std::min(piece, most + 1 - done));
    do count = ::read(opened, read.text.data() + done, read.text.size() - done);
    while (count < 0 && errno == EINTR);
    if (count < 0) read.why = system_failure(errno);
    read.text.resize(done + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  }
  close(opened);
  if (read.text.size() > most) read.why = "it has more than " + std::to_string(most) + " bytes";
  return read;
}

}  // namespace attune
