// Nearness: the distance between problems, and between devices. Pure; any thread.
#pragma once

#include <cmath>
#include <cstdint>

#include "attune/device_info.hpp"
#include "attune/kernel_spec.hpp"
#include "core/record.hpp"

namespace attune {

// Returns whether both problems have the same names with equal values, in any order.
bool same_problem(const Problem& a, const Problem& b);

// Exported headers contain this text too; therefore it includes nothing.
#include "kernel/nearness.inc"

ProblemDistance problem_distance(const KernelSpec& spec, const Problem& asked, const Problem& known);

// Returns "cuda" for "cuda|NVIDIA H200|...".
std::string_view kind_of(std::string_view class_key);

}  // namespace attune
