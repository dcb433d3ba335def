// DeviceLock: lets processes take turns at measuring on one device. Two tuners of one user measure alternately. The
// operating system drops the lock when a process ends. One thread.
#pragma once

#include <atomic>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "attune/device_info.hpp"
#include "base/waiting.hpp"

namespace attune {

// Returns the name by which processes identify one device.
std::string lock_name(const DeviceInfo& device);

// Returns whether a process, as Device::other_users() names it, takes turns too: it is an attune of the same user.
bool takes_turns(std::string_view user);

class DeviceLock {
 public:
  // Makes two files in the folder, and absent folders (mode 0700). Throws Error when a file or folder cannot be made,
  // or the folder is a link or belongs to another user. Without a folder ("") turns are never waited for. `note` is
  // called once with a text, when a turn has been waited for a second: see Wait.
  DeviceLock(const std::filesystem::path& folder, const std::string& device, WaitNote note = {});
  ~DeviceLock();
  DeviceLock(const DeviceLock&) = delete;
  DeviceLock& operator=(const DeviceLock&) = delete;

  // One turn. The constructor waits for it, and the destructor ends it. Throws WaitInterrupted when it has to wait and
  // `stop` is `ends_at` or more.
  class Turn {
   public:
    Turn(DeviceLock& lock, const std::atomic<int>& stop, int ends_at = 1);
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    DeviceLock& lock_;
  };
  // Returns whether another process waits for a turn.
  bool others_wait() const noexcept;
  // Returns how many seconds this process has waited for turns. If there are many, another tuner was at work.
  double waited_seconds() const noexcept { return waited_seconds_; }

 private:
  void take(const std::atomic<int>& stop, int ends_at);
  void take_lock(int descriptor, Wait& wait);
  void give() noexcept;

  int queue_ = -1, device_ = -1;  // descriptors
  int depth_ = 0;                 // a turn within a turn is part of the outer one
  double waited_seconds_ = 0;
  WaitNote note_;  // empty after its call
};

// A turn that take() begins, unless it has begun, and that is kept until end(). The lock must outlive it.
class KeptTurn {
 public:
  KeptTurn(DeviceLock& lock, const std::atomic<int>& stop) : lock_(lock), stop_(stop) {}
  void take(int ends_at = 1) {
    if (!turn_) turn_.emplace(lock_, stop_, ends_at);
  }
  void end() { turn_.reset(); }
  bool others_wait() const noexcept { return turn_ && lock_.others_wait(); }
  double waited_seconds() const noexcept { return lock_.waited_seconds(); }

 private:
  DeviceLock& lock_;
  const std::atomic<int>& stop_;
  std::optional<DeviceLock::Turn> turn_;
};

}  // namespace attune
