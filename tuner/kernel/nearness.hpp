// Nearness: how far recorded problems and devices are from those of a request. Pure; any thread.
#pragma once

#include "attune/device_info.hpp"
#include "attune/kernel_spec.hpp"
#include "core/record.hpp"

namespace attune {

// Equal values for equal names, in whatever order they were stored.
bool same_problem(const Problem& a, const Problem& b);

struct ProblemDistance {
  int differing = 0;            // types, flags and integers that differ; sizes that cannot be compared
  double squared_octaves = 0;   // over the sizes: sum of log2(larger / smaller)^2
  double log2_size = 0;         // of `known`: sum over its sizes of log2
  bool within_factor_2 = true;  // every size, either way
};
ProblemDistance problem_distance(const KernelSpec& spec, const Problem& asked, const Problem& known);

// |log2| of the ratio of multiprocessors.
double multiprocessor_octaves(int recorded, int present);
// "cuda" of "cuda|NVIDIA H200|...".
std::string_view kind_of(std::string_view class_key);

}  // namespace attune
