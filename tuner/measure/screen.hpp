// The screening stage: how many samples a configuration gets. Pure: the coordinator makes the plan, and the worker
// follows it after each sample.
#pragma once

#include <cstdint>
#include <span>

#include "core/regime.hpp"
#include "measure/protocol.hpp"

namespace attune {

struct TimingPlan {
  int count = 1;             // samples at least, unless the first one is the last
  int most = 1;              // samples at most: their scatter decides between count and most
  double error = 0;          // enough: the relative standard error of the median
  double scatter_ns = 0;     // expected standard deviation of one sample
  double stop_above_ns = 0;  // a first sample above this is the last; 0: never
  Regime regime = Regime::cold;
  int batch = 1;                 // launches per sample
  int steps = 0;                 // times only so many first steps, in samples of one launch; 0: all steps
  std::uint64_t copy_bytes = 0;  // of a copy within the device's memory: bytes read + bytes written
};

// Makes a plan. `incumbent_ns` is the best median known, 0 when there is none. `scatter_ns` is the anchor's.
TimingPlan screen_plan(double incumbent_ns, double scatter_ns, const Protocol& protocol);

// Returns the number of launches per sample in the regime `stream`, for a kernel that takes `nanoseconds`.
int batch_for(double nanoseconds, const Protocol& protocol);

// Returns how many more samples to take. `samples_ns` has the samples so far, in order. The first one may end the
// sampling, but does not count otherwise.
int samples_wanted(std::span<const double> samples_ns, const TimingPlan& plan);

// Returns the samples that count: all but the first, unless it is the only one.
std::span<const double> counted_samples(std::span<const double> samples_ns);

}  // namespace attune
