// DeviceCopy: copies within a device's memory, for comparison with a kernel that moves as many bytes. It owns pairs of
// arrays for them. One thread. Also the rule by which a stream has several sets of data.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "device/memory.hpp"
#include "measure/screen.hpp"

namespace attune {

struct StreamSets {
  std::uint64_t count = 1;
  std::uint64_t batch = 1;  // launches: each set is used as often as any other
  bool flush = false;
};
// Returns how a batch of launches in a stream uses sets of data. Between two launches on the same set come launches on
// twice the L2 cache's bytes of others, from one batch to the next too. Where all launches of a batch need less than
// that, each has a set of its own, and a flush goes before.
StreamSets stream_sets(std::uint64_t set_bytes, std::uint64_t batch, std::uint64_t l2_bytes);

// What one sample times: `Sampling::timed` points to it.
using Sets = std::vector<std::span<const Operation>>;

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
