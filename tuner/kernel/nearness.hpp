// Nearness: the distance between problems, and between devices. Pure; any thread.
#pragma once

#include "attune/device_info.hpp"
#include "attune/kernel_spec.hpp"
#include "core/record.hpp"

namespace attune {

// Returns whether equal names have equal values, in any order.
bool same_problem(const Problem& a, const Problem& b);

struct ProblemDistance {
  int differing = 0;            // types, flags and integers that differ; sizes that cannot be compared
  double squared_octaves = 0;   // over the sizes: sum of log2(larger / smaller)^2
  double log2_size = 0;         // of `known`: sum over its sizes of log2
  bool within_factor_2 = true;  // every size, either way
};
ProblemDistance problem_distance(const KernelSpec& spec, const Problem& asked, const Problem& known);

// Returns |log2| of the ratio of multiprocessors.
double multiprocessor_octaves(int recorded, int present);
// Returns "cuda" for "cuda|NVIDIA H200|...".
std::string_view kind_of(std::string_view class_key);

}  // namespace attune
