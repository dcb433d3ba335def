// DeviceCopy: copies within a device's memory, for comparison with a kernel that moves as many bytes. It owns the pairs
// of arrays that are copied. One thread.
#pragma once

#include <cstdint>
#include <vector>

#include "device/data_tools.hpp"
#include "device/memory.hpp"
#include "worker/planned_sampling.hpp"

namespace attune {

class DeviceCopy {
 public:
  // `bytes`: the sum of what a copy reads and writes, half of it each. Throws OutOfMemory and Error. Device and
  // tools must outlive it.
  DeviceCopy(Device& device, DataTools& tools, std::uint64_t bytes);

  std::uint64_t bytes() const noexcept { return bytes_; }
  // Returns how to sample the copy by a plan. The result points into `sets`, and is valid until the next call with a
  // larger batch. Throws OutOfMemory where a stream needs more pairs of arrays than there is room for.
  Sampling sampling(const TimingPlan& plan, Sets& sets);

 private:
  void add_pair();

  Device& device_;
  DataTools& tools_;
  const std::uint64_t bytes_;
  std::vector<DeviceMemory> arrays_;
  std::vector<Operation> copies_;  // one for each pair
};

}  // namespace attune
