// The screening stage: how many samples a configuration deserves. Pure.
#pragma once

#include <span>

#include "measure/protocol.hpp"

namespace attune {

// Whether another sample of a configuration is worth its time. `samples_ns` so far, the first one first;
// `incumbent_ns` is the best median known, 0 when there is none.
bool wants_another_sample(std::span<const double> samples_ns, double incumbent_ns, const Protocol& protocol);

// The samples that count: all but the first, unless that is the only one (it was bad enough to stop there).
std::span<const double> counted_samples(std::span<const double> samples_ns);

}  // namespace attune
