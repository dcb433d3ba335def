#include "device/cuda/nvrtc_pch_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <system_error>

#include "attune/error.hpp"
#include "base/system_failure.hpp"

namespace attune::cuda {
namespace {

namespace fs = std::filesystem;

constexpr const char* name_start = "attune-pch-";
constexpr const char* lock_name = "lock";
constexpr std::time_t seconds_to_lock = 60;  // a younger folder's maker may not hold its lock yet

// Returns the lock, or -1 while another process holds it or the folder has none.
int take_lock(const fs::path& folder, int more_flags) {
  const int file = open((folder / lock_name).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | more_flags, 0600);
  if (file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0) return file;
  if (file >= 0) close(file);
  return -1;
}

// Removes an unused folder of this user. The lock decides, not a process number: containers share folders and have
// numbers of their own.
void remove_if_abandoned(const fs::path& folder) {
  struct stat status {};
  if (lstat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) || status.st_uid != geteuid()) return;
  if (std::time(nullptr) - status.st_mtime < seconds_to_lock) return;
  const int lock = take_lock(folder, 0);
  if (lock < 0) return;
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  close(lock);
}

void remove_abandoned(const fs::path& parent) {
  std::error_code error;
  for (fs::directory_iterator entry(parent, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->path().filename().string().starts_with(name_start)) remove_if_abandoned(entry->path());
  }
}

}  // namespace

PchFolder::PchFolder(const fs::path& parent) : owner_(getpid()) {
  remove_abandoned(parent);
  std::string name = (parent / name_start).string() + "XXXXXX";
  if (mkdtemp(name.data()) == nullptr) {
    throw Error(fmt::format("cannot make a folder in {}: {}", parent.string(), system_failure(errno)));
  }
  path_ = name;
  lock_ = take_lock(path_, O_CREAT | O_EXCL);
}

PchFolder::~PchFolder() {
  if (getpid() == owner_) {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  if (lock_ >= 0) close(lock_);
}

}  // namespace attune::cuda
