// InterleavedRounds: takes one sample of each of several columns, round after round and in random order, until their
// ratios are known well enough. Serves comparisons outside a search. One thread.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "measure/protocol.hpp"
#include "session/bench.hpp"

namespace attune {

// What is sampled once in every round.
struct RoundColumn {
  std::size_t row = 0;      // the caller's number for it
  InstanceId instance = 0;  // or device_copy
  int steps = 0;            // TimingPlan::steps
  std::vector<double> times_ns;
};

class InterleavedRounds {
 public:
  // `plan` is the plan of each sample, apart from its steps. The limits are those of the final stage of `protocol`.
  // References must outlive the object.
  InterleavedRounds(Bench& bench, const TimingPlan& plan, const Protocol& protocol, const std::atomic<int>& stop);

  // Adds rounds until `half_width` is small enough, a limit is reached, or `stop` is not 0. All columns get equally
  // many rounds. Returns the failure of an instance, whose columns must leave before the next call. Throws OutOfMemory,
  // Error.
  std::optional<SampleFailure> run(std::vector<RoundColumn>& columns, const std::function<double()>& half_width);

 private:
  std::vector<Rounds> jobs_of(const std::vector<RoundColumn>& columns, std::size_t rounds,
                              std::vector<std::size_t>& order);
  std::optional<SampleFailure> take(std::vector<RoundColumn>& columns, std::size_t rounds);

  Bench& bench_;
  const TimingPlan plan_;
  const Protocol& protocol_;
  const std::atomic<int>& stop_;
  std::mt19937_64 random_{1};
  const double begin_;
  double slot_seconds_ = 0;  // of one sample, with all that it costs; 0 while unknown
};

}  // namespace attune
