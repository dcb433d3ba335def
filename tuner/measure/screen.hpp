// The screening stage: how many samples a configuration deserves. Pure: the coordinator makes the plan, and the worker
// checks it after each sample.
#pragma once

#include <span>

#include "core/regime.hpp"
#include "measure/protocol.hpp"

namespace attune {

struct TimingPlan {
  int count = 1;             // at most
  double stop_above_ns = 0;  // a first sample above this is the last; 0: never
  Regime regime = Regime::cold;
  int batch = 1;  // runs per sample
};

// Makes a plan. `incumbent_ns` is the best median known, 0 when there is none.
TimingPlan screen_plan(double incumbent_ns, const Protocol& protocol);

// Returns the launches per sample for a kernel of this time.
int batch_for(double nanoseconds, const Protocol& protocol);

// Returns how many more samples to take. Only the first sample decides about others. `samples_ns`: the samples so far,
// in order.
int samples_wanted(std::span<const double> samples_ns, const TimingPlan& plan);

// Returns the samples that count: all but the first, unless it is the only one.
std::span<const double> counted_samples(std::span<const double> samples_ns);

}  // namespace attune
