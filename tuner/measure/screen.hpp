// The screening stage: how many samples a configuration deserves. Pure: the coordinator makes the plan, whoever takes
// the samples asks after each whether it goes on.
#pragma once

#include <span>

#include "core/regime.hpp"
#include "measure/protocol.hpp"

namespace attune {

struct SamplePlan {
  int count = 1;             // at most
  double stop_above_ns = 0;  // a first sample over this is the last; 0: never
  Regime regime = Regime::cold;
  int batch = 1;  // runs that a sample is the mean of
};

// `incumbent_ns` is the best median known, 0 when there is none.
SamplePlan screen_plan(double incumbent_ns, const Protocol& protocol);

// How many launches a sample is the mean of, of a kernel that takes so long.
int batch_for(double nanoseconds, const Protocol& protocol);

// How many more samples are to be taken, of which none but the first decides about others. `samples_ns` so far, the
// first one first.
int samples_wanted(std::span<const double> samples_ns, const SamplePlan& plan);

// The samples that count: all but the first, unless that is the only one (it was bad enough to stop there).
std::span<const double> counted_samples(std::span<const double> samples_ns);

}  // namespace attune
