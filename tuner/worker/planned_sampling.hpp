// What a sample is by its plan: how many launches, over how many sets of data, and whether a flush goes before. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "device/device.hpp"
#include "measure/screen.hpp"

namespace attune {

struct StreamSets {
  std::uint64_t count = 1;
  std::uint64_t batch = 1;  // launches: each set is used as often as any other
  bool flush = false;
};
// Returns how a batch of launches in a stream uses sets of data. Between two launches on the same set come launches on
// twice the L2 cache's bytes of others, from one batch to the next too. Where all launches of a batch need less than
// that, each has a set of its own, and a flush goes before. Where `room`, a number of sets, and 2 GiB allow, there are
// more sets, up to one for each launch: where data lie is chance, and changes times by some tenths of a per cent
// (docs/results/measurement.md).
StreamSets stream_sets(std::uint64_t set_bytes, std::uint64_t batch, std::uint64_t l2_bytes, std::uint64_t room);

// What one sample times: `Sampling::timed` points to it.
using Sets = std::vector<std::span<const Operation>>;

struct PlannedSampling {
  Sampling sampling;     // without operations
  std::size_t sets = 1;  // of data, that it needs
};
// `may_batch`: launches can follow each other. In the regime `cold` they do not.
PlannedSampling planned_sampling(const TimingPlan& plan, bool may_batch, std::uint64_t set_bytes,
                                 std::uint64_t l2_bytes, std::uint64_t room);

}  // namespace attune
