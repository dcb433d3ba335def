// DeviceCopy: copies within a device's memory, for comparison with a kernel that moves as many bytes. It owns pairs of
// arrays for them. One thread.
#pragma once

#include <cstdint>
#include <vector>

#include "device/memory.hpp"
#include "worker/planned_sampling.hpp"

namespace attune {

class DeviceCopy {
 public:
  // `bytes` are read and written together: half of them each. Throws OutOfMemory, Error. The device must outlive it.
  DeviceCopy(Device& device, std::uint64_t bytes);

  std::uint64_t bytes() const noexcept { return bytes_; }
  // Returns how to sample the copy by a plan. `sets` receives what the result points to, which is valid until the next
  // call with a larger batch. Throws OutOfMemory where a stream's pairs of arrays have no room.
  Sampling sampling(const TimingPlan& plan, Sets& sets);

 private:
  void add_pair();

  Device& device_;
  const std::uint64_t bytes_;
  std::vector<DeviceMemory> arrays_;
  std::vector<Operation> copies_;  // one for each pair
};

}  // namespace attune
