#include "worker/device_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

#include "attune/error.hpp"
#include "base/system_failure.hpp"

namespace attune {
namespace fs = std::filesystem;
namespace {

constexpr mode_t private_mode = 0700;

// Returns a file name for a device. Characters of its identity that do not fit a file name become dashes.
std::string file_name(const std::string& device) {
  std::string name;
  for (const char c : device) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    name += plain ? c : '-';
  }
  return name;
}

[[noreturn]] void refuse(const fs::path& path, const std::string& reason) {
  throw Error("cannot open the device's lock " + path.string() + ": " + reason +
              "; correct its folder, or name another cache folder with ATTUNE_CACHE");
}

// Makes the folder and its absent parents. They are private, because the images of the cache lie beside the folder.
void make_folder(const fs::path& folder) {
  fs::path so_far;
  for (const fs::path& part : folder) {
    so_far /= part;
    std::error_code unknown;
    if (part.empty() || mkdir(so_far.c_str(), private_mode) == 0) continue;
    const int error = errno;  // some systems answer EACCES or EROFS for an existing folder
    if (!fs::is_directory(so_far, unknown)) refuse(so_far, system_failure(error));
  }
}

// Returns a descriptor of the folder, whose mode becomes 0700. Throws Error if it is a link or another user's.
int open_folder(const fs::path& folder) {
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (descriptor < 0) refuse(folder, fs::is_symlink(folder) ? "it is a symbolic link" : system_failure(errno));
  struct stat status {};
  const bool own = fstat(descriptor, &status) == 0 && status.st_uid == geteuid();
  if (own && (status.st_mode & 0777) != private_mode) fchmod(descriptor, private_mode);
  if (own) return descriptor;
  close(descriptor);
  refuse(folder, "it belongs to another user");
}

int open_lock(int folder, const fs::path& path) {
  const int descriptor = openat(folder, path.filename().c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (descriptor < 0) refuse(path, system_failure(errno));
  return descriptor;
}

}  // namespace

// Callables take turns with the kernels of the device that they run on.
std::string lock_name(const DeviceInfo& device) {
  const std::string kind = device.kind != "callable" ? device.kind : device.uuid.empty() ? "host" : "cuda";
  return kind + "-" + (device.uuid.empty() ? device.name : device.uuid);
}

bool takes_turns(std::string_view user) { return user.starts_with("attune ("); }

DeviceLock::DeviceLock(const fs::path& folder, const std::string& device, WaitNote note) : note_(std::move(note)) {
  if (folder.empty()) return;
  make_folder(folder);
  const int opened = open_folder(folder);
  try {
    queue_ = open_lock(opened, folder / (file_name(device) + ".queue"));
    device_ = open_lock(opened, folder / (file_name(device) + ".lock"));
  } catch (const Error&) {
    if (queue_ >= 0) close(queue_);
    close(opened);
    throw;
  }
  close(opened);
}

DeviceLock::~DeviceLock() {
  if (queue_ >= 0) close(queue_);
  if (device_ >= 0) close(device_);
}

// Tries until it has the lock.
void DeviceLock::take_lock(int descriptor, Wait& wait) {
  for (auto pause = std::chrono::microseconds(200);; pause = std::min(2 * pause, std::chrono::microseconds(5000))) {
    if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) return;
    if (errno != EWOULDBLOCK && errno != EINTR) return;  // a file system without locks: measure without turns
    wait.go_on(note_);
    std::this_thread::sleep_for(pause);
  }
}

// There are two locks, so that turns alternate. The process that waits for the device holds the queue lock, so the last
// user of the device must wait behind it.
void DeviceLock::take(const std::atomic<int>& stop, int ends_at) {
  if (device_ < 0 || depth_ > 0) {
    ++depth_;
    return;
  }
  Wait wait("another tuner on this device: they take turns at measuring", &stop, ends_at);
  try {
    take_lock(queue_, wait);
    take_lock(device_, wait);
  } catch (...) {
    flock(queue_, LOCK_UN);
    throw;
  }
  flock(queue_, LOCK_UN);
  ++depth_;
  if (wait.is_noted()) note_ = {};  // one note is enough, because turns alternate
  waited_seconds_ += wait.waited().count();
}

void DeviceLock::give() noexcept {
  if (device_ >= 0 && --depth_ == 0) flock(device_, LOCK_UN);
}

bool DeviceLock::others_wait() const noexcept {
  if (queue_ < 0) return false;
  if (flock(queue_, LOCK_EX | LOCK_NB) != 0) return errno == EWOULDBLOCK;
  flock(queue_, LOCK_UN);
  return false;
}

DeviceLock::Turn::Turn(DeviceLock& lock, const std::atomic<int>& stop, int ends_at) : lock_(lock) {
  lock_.take(stop, ends_at);
}

DeviceLock::Turn::~Turn() { lock_.give(); }

}  // namespace attune
