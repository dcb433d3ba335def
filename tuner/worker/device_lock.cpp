#include "worker/device_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "attune/error.hpp"

namespace attune {
namespace fs = std::filesystem;
namespace {

using Clock = std::chrono::steady_clock;

// Returns a file name: characters that are unfit in a device's identity become dashes.
std::string file_name(const std::string& device) {
  std::string name;
  for (const char c : device) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    name += plain ? c : '-';
  }
  return name;
}

int open_lock(const fs::path& file) {
  const int descriptor = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (descriptor < 0)
    throw Error("cannot open the device's lock " + file.string() + ": " + std::strerror(errno) +
                "; correct its folder, or name another cache folder with XDG_CACHE_HOME");
  return descriptor;
}

// Tries until it has the lock. Returns false when stop counted 2 first.
bool take_lock(int descriptor, const std::atomic<int>& stop) {
  for (auto pause = std::chrono::microseconds(200);; pause = std::min(2 * pause, std::chrono::microseconds(5000))) {
    if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) return true;
    if (errno != EWOULDBLOCK && errno != EINTR) return true;  // a file system without locks: measured without turns
    if (stop.load() >= 2) return false;
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace

std::string lock_name(const DeviceInfo& device) {
  return device.kind + "-" + (device.uuid.empty() ? device.name : device.uuid);
}

bool takes_turns(std::string_view user) { return user.starts_with("attune ("); }

DeviceLock::DeviceLock(const fs::path& folder, const std::string& device) {
  if (folder.empty()) return;
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) throw Error("cannot make the folder " + folder.string() + ": " + failed.message());
  fs::permissions(folder, fs::perms::owner_all, failed);
  queue_ = open_lock(folder / (file_name(device) + ".queue"));
  device_ = open_lock(folder / (file_name(device) + ".lock"));
}

DeviceLock::~DeviceLock() {
  if (queue_ >= 0) close(queue_);
  if (device_ >= 0) close(device_);
}

// Two locks, so that turns alternate. A waiting process holds the queue; the last user of the device must queue after
// it.
void DeviceLock::take(const std::atomic<int>& stop) {
  if (device_ < 0 || depth_++ > 0) return;
  const auto begin = Clock::now();
  if (take_lock(queue_, stop)) take_lock(device_, stop);
  flock(queue_, LOCK_UN);
  waited_seconds_ += std::chrono::duration<double>(Clock::now() - begin).count();
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

DeviceLock::Turn::Turn(DeviceLock& lock, const std::atomic<int>& stop) : lock_(lock) { lock_.take(stop); }

DeviceLock::Turn::~Turn() { lock_.give(); }

}  // namespace attune
