// DeviceLock: turns at measuring on one device between processes. Two tuners of one user measure alternately, and both
// get turns. The operating system drops the lock when a process ends. One thread.
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

// Returns whether this process of Device::other_users() takes turns too: an attune of the same user.
bool takes_turns(std::string_view user);

class DeviceLock {
 public:
  // Makes two files in the folder. Absent folders are made (0700). Throws Error when the folder is a link or another
  // user's. Without a folder ("") every turn is free.
  // `note` receives a text once when a turn is waited for: see Wait.
  DeviceLock(const std::filesystem::path& folder, const std::string& device, WaitNote note = {});
  ~DeviceLock();
  DeviceLock(const DeviceLock&) = delete;
  DeviceLock& operator=(const DeviceLock&) = delete;

  // One turn: from construction, which waits for it, to destruction. Throws WaitInterrupted when it has to wait and
  // `stop` counts `ends_at`.
  class Turn {
   public:
    Turn(DeviceLock& lock, const std::atomic<int>& stop, int ends_at = 1);
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    DeviceLock& lock_;
  };
  bool others_wait() const noexcept;
  // Returns the seconds of all waiting for turns. If they are many, another tuner was at work.
  double waited_seconds() const noexcept { return waited_seconds_; }

 private:
  void take(const std::atomic<int>& stop, int ends_at);
  void take_lock(int descriptor, Wait& wait);
  void give() noexcept;

  int queue_ = -1, device_ = -1;  // descriptors
  int depth_ = 0;                 // turns within turns are one
  double waited_seconds_ = 0;
  WaitNote note_;  // empty once it was called
};

// A turn that is taken once and kept until it is ended. The lock must outlive it.
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
