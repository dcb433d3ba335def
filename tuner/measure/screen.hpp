// The screening stage: how many samples a configuration deserves. Pure: the coordinator makes the plan, and the worker
// checks it after each sample.
#pragma once

#include <cstdint>
#include <span>

#include "core/regime.hpp"
#include "measure/protocol.hpp"

namespace attune {

struct TimingPlan {
  int count = 1;             // samples at least, unless the first ends them
  int most = 1;              // samples at most: between them, their scatter decides
  double error = 0;          // enough: the relative standard error of the median
  double scatter_ns = 0;     // what one sample is expected to scatter by, as a standard deviation
  double stop_above_ns = 0;  // a first sample above this is the last; 0: never
  Regime regime = Regime::cold;
  int batch = 1;                 // launches per sample
  int steps = 0;                 // times so many steps, the first ones; 0: all. A sample has one launch
  std::uint64_t copy_bytes = 0;  // of a copy within the device's memory: read and written, together
};

// Makes a plan. `incumbent_ns` is the best median known, 0 when there is none. `scatter_ns`: the anchor's.
TimingPlan screen_plan(double incumbent_ns, double scatter_ns, const Protocol& protocol);

// Returns the launches per sample, in the regime `stream`, for a kernel of this time.
int batch_for(double nanoseconds, const Protocol& protocol);

// Returns how many more samples to take. `samples_ns`: the samples so far, in order; the first one, which may end them,
// does not count otherwise.
int samples_wanted(std::span<const double> samples_ns, const TimingPlan& plan);

// Returns the samples that count: all but the first, unless it is the only one.
std::span<const double> counted_samples(std::span<const double> samples_ns);

}  // namespace attune
