// A search on a recording: there is no device and no clock, and one configuration is tried at a time. Pure: equal
// strategy, seed and recording give equal visits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "attune/strategy.hpp"
#include "space/recording.hpp"

namespace attune {

// A recording as a search space, made once; any thread may then read it. The recording must outlive it.
class RecordedSpace {
 public:
  // Throws UsageError if the recording has no rows, or if its rows make no space (see SearchSpace::listed).
  explicit RecordedSpace(const Recording& recording);

  const Recording& recording() const noexcept { return *recording_; }
  const SearchSpace& space() const noexcept { return space_; }
  // Returns the position in recording().trials of a legal row. Throws Error for other rows.
  std::size_t trial_of(RowView row) const;
  // Returns the cost of evaluating a trial: its seconds, or 1 if the recording states no costs at all.
  double cost(std::size_t trial) const noexcept { return costs_[trial]; }
  bool has_costs() const noexcept { return has_costs_; }
  Outcome outcome(std::size_t trial) const noexcept;

 private:
  const Recording* recording_;
  SearchSpace space_;
  std::vector<std::uint32_t> trials_;  // by index of the space
  std::vector<double> costs_;
  bool has_costs_ = false;
};

// The length of a simulation. The simulation goes on until it has both spent `cost` and made `evaluations`, but makes
// at most `most_evaluations`. It ends earlier if the strategy proposes nothing more.
struct Extent {
  double cost = 0;
  std::size_t evaluations = 0;
  std::size_t most_evaluations = std::numeric_limits<std::size_t>::max();
};

struct Visit {
  std::uint32_t trial = 0;  // position in Recording::trials
  double cost = 0;          // of all visits up to this one together
  double best = 0;          // least objective up to this visit, in nanoseconds; 0 before the first valid one
};
using Visits = std::vector<Visit>;

// Returns the visits of `strategy`, which must have been made for recorded.space(). The trials `first`, in which none
// may occur twice, are visited before the strategy is asked. Throws Error when the strategy proposes a row twice or an
// illegal row.
Visits simulate(const RecordedSpace& recorded, Strategy& strategy, const Extent& extent,
                const std::vector<std::size_t>& first = {});

// Returns the visits of `trials` in this order, given by position in recording().trials. A trial visited before is
// skipped: other tuners keep results, so that a second visit is free. Throws UsageError naming a position that does not
// exist.
Visits follow(const RecordedSpace& recorded, const std::vector<std::size_t>& trials);

}  // namespace attune
