// Works out what one sample of a plan is: how many launches, over how many sets of data, and whether a flush goes
// before. Pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "device/instruments.hpp"
#include "measure/screen.hpp"

namespace attune {

struct StreamSets {
  std::uint64_t count = 1;
  std::uint64_t batch = 1;  // launches, a multiple of `count`, so that all sets are used equally often
  bool flush = false;
};
// Returns how a batch of launches in a stream uses sets of data. Between two launches on one set come launches on other
// sets with twice the L2 cache's bytes, also from one batch to the next. If all sets of a batch have fewer bytes than
// that, each launch has a set of its own, and a flush goes before the batch.
// Where `room` (a number of sets) and 2 GiB allow it, there are more sets than needed, up to one for each launch. The
// reason is that the place of the data is chance, and changes times by some tenths of a per cent
// (docs/results/measurement.md).
StreamSets stream_sets(std::uint64_t set_bytes, std::uint64_t batch, std::uint64_t l2_bytes, std::uint64_t room);

// What one sample times: `Sampling::timed` points to it.
using Sets = std::vector<std::span<const Operation>>;

struct SamplingPlan {
  Sampling sampling;     // without operations
  std::size_t sets = 1;  // how many sets of data the sampling needs
};
// Returns the sampling of a plan. `may_batch`: launches may follow each other without restoring inputs. In the regime
// `cold` there are no batches in any case. `room`: how many sets of data there may be.
SamplingPlan planned_sampling(const TimingPlan& plan, bool may_batch, std::uint64_t set_bytes, std::uint64_t l2_bytes,
                              std::uint64_t room);

}  // namespace attune
