// Problems that fall-back configurations are to serve, ahead of time: nobody knows yet what an application asks for.
// Pure; any thread.
#pragma once

#include <vector>

#include "attune/bindings.hpp"
#include "attune/device_info.hpp"
#include "attune/kernel_spec.hpp"

namespace attune {

struct TriedProblem {
  Problem problem;
  DeviceInfo device;
};

// Returns groups of problems of the same sizes: the default ones, round, odd and small ones, and those of which one is
// large. Each group has all combinations of types and choices (64 at most), on each known architecture and on the host
// device.
std::vector<std::vector<TriedProblem>> usual_problems(const KernelSpec& spec);

// Returns at most 600 problems of at most 2^40 elements, in a scattered order. Each size goes from 1 to 2^25, while all
// others have each size of this range. Types, choices and devices take turns.
std::vector<TriedProblem> swept_problems(const KernelSpec& spec);

}  // namespace attune
