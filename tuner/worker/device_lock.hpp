// DeviceLock: turns at measuring on one device between processes: two tuners of one user measure one after the other,
// neither waits for ever. The operating system drops the lock of a process that ends, however it ends. One thread.
#pragma once

#include <atomic>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "attune/device_info.hpp"

namespace attune {

// The name by which processes know that they mean the same device.
std::string lock_name(const DeviceInfo& device);

// Whether this one of Device::other_users() takes turns too: an attune of the same user.
bool takes_turns(std::string_view user);

class DeviceLock {
 public:
  // Makes two files in the folder, which is made too (0700). Without a folder ("") every turn is free. Throws Error.
  DeviceLock(const std::filesystem::path& folder, const std::string& device);
  ~DeviceLock();
  DeviceLock(const DeviceLock&) = delete;
  DeviceLock& operator=(const DeviceLock&) = delete;

  // One turn: from construction, which waits for it, to destruction. Gives up waiting when `stop` counts 2: whoever
  // wants to leave so much does not measure.
  class Turn {
   public:
    Turn(DeviceLock& lock, const std::atomic<int>& stop);
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    DeviceLock& lock_;
  };
  // Whether another process waits for the turn that this one has.
  bool somebody_waits() const noexcept;
  // All that was waited for turns. Another tuner was at work if it is much.
  double waited_seconds() const noexcept { return waited_seconds_; }

 private:
  void take(const std::atomic<int>& stop);
  void give() noexcept;

  int queue_ = -1, device_ = -1;  // descriptors
  int depth_ = 0;                 // turns within turns are one
  double waited_seconds_ = 0;
};

// A turn that is taken once and kept until it is ended. The lock must outlive it.
class KeptTurn {
 public:
  KeptTurn(DeviceLock& lock, const std::atomic<int>& stop) : lock_(lock), stop_(stop) {}
  void take() {
    if (!turn_) turn_.emplace(lock_, stop_);
  }
  void end() { turn_.reset(); }
  bool others_wait() const noexcept { return turn_ && lock_.somebody_waits(); }
  double waited_seconds() const noexcept { return lock_.waited_seconds(); }

 private:
  DeviceLock& lock_;
  const std::atomic<int>& stop_;
  std::optional<DeviceLock::Turn> turn_;
};

}  // namespace attune
