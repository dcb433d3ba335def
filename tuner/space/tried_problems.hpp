// The problems that fall-back configurations are chosen for. They stand in for the unknown problems that applications
// will ask for. Pure; any thread.
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

// Returns groups of problems; the problems of a group have the same sizes. There are groups for the default sizes, for
// round, odd and small sizes, and for one large size among small ones. Each group has all combinations of types and
// choices (64 at most), on each known architecture and on the host device.
std::vector<std::vector<TriedProblem>> usual_problems(const KernelSpec& spec);

// Returns at most 600 problems of at most 2^40 elements, in a scattered order. One size takes each of 14 values from 1
// to 2^25, while all other sizes share each of these values. Types, choices and devices take turns.
std::vector<TriedProblem> swept_problems(const KernelSpec& spec);

}  // namespace attune
