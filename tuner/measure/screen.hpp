// The screening stage: how many samples a configuration deserves. Pure: the coordinator makes the plan, whoever takes
// the samples asks after each whether it goes on.
#pragma once

#include <span>

#include "measure/protocol.hpp"

namespace attune {

struct SamplePlan {
  int count = 1;             // at most
  double stop_above_ns = 0;  // a first sample over this is the last; 0: never
};

// `incumbent_ns` is the best median known, 0 when there is none.
SamplePlan screen_plan(double incumbent_ns, const Protocol& protocol);

// Whether another sample is to be taken. `samples_ns` so far, the first one first.
bool wants_another_sample(std::span<const double> samples_ns, const SamplePlan& plan);

// The samples that count: all but the first, unless that is the only one (it was bad enough to stop there).
std::span<const double> counted_samples(std::span<const double> samples_ns);

}  // namespace attune
