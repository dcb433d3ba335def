// Search spaces that are hard to build: for tests and benchmarks.
#pragma once

#include <string>
#include <vector>

#include "attune/parameter.hpp"

namespace attune {

struct HardSpace {
  std::string name;
  std::vector<Parameter> parameters;
  std::vector<std::string> rules;
};

inline Parameter range_parameter(const std::string& name, int first, int last, int step = 1) {
  Parameter parameter{name, {}};
  for (int value = first; value <= last; value += step) parameter.values.emplace_back(value);
  return parameter;
}

// P0, P1 and so on.
inline std::vector<Parameter> range_parameters(int count, int first, int last) {
  std::vector<Parameter> parameters;
  for (int i = 0; i < count; ++i) parameters.push_back(range_parameter("P" + std::to_string(i), first, last));
  return parameters;
}

// Returns "P0 + P1 + ..": `count` parameters, joined by `by`.
inline std::string joined(int count, const std::string& by) {
  std::string text = "P0";
  for (int i = 1; i < count; ++i) text += by + "P" + std::to_string(i);
  return text;
}

// Each parameter differs from the one before it.
inline std::vector<std::string> neighbours_differ(int count) {
  std::vector<std::string> rules;
  for (int i = 1; i < count; ++i) rules.push_back("P" + std::to_string(i - 1) + " != P" + std::to_string(i));
  return rules;
}

// The hotspot kernel's rules over more values of everything: about 15 million legal configurations.
inline HardSpace finer_hotspot() {
  const std::string shared =
      "(block_size_x*tile_size_x + temporal_tiling_factor * 2) * (block_size_y*tile_size_y + temporal_tiling_factor * "
      "2) "
      "* (2+sh_power) * 4";
  HardSpace space{"hard_finer_hotspot",
                  {range_parameter("block_size_x", 1, 1024), range_parameter("block_size_y", 1, 32),
                   range_parameter("tile_size_x", 1, 16), range_parameter("tile_size_y", 1, 16),
                   range_parameter("temporal_tiling_factor", 1, 10), range_parameter("loop_unroll_factor_t", 1, 10),
                   range_parameter("sh_power", 0, 1), range_parameter("blocks_per_sm", 0, 4)},
                  {}};
  space.rules = {"block_size_x*block_size_y >= 32", "temporal_tiling_factor % loop_unroll_factor_t == 0",
                 "block_size_x*block_size_y <= 1024", shared + " <= 49152",
                 "blocks_per_sm == 0 || (" + shared + ") * blocks_per_sm <= 102400"};
  return space;
}

inline HardSpace bounded_product() {
  return {"hard_product_of_ten", range_parameters(10, 1, 16), {joined(10, " * ") + " <= 1000000"}};
}

inline HardSpace permutation() {
  HardSpace space{"hard_permutation_of_12", range_parameters(12, 1, 12), {}};
  for (int i = 0; i < 12; ++i) {
    for (int j = 0; j < i; ++j) space.rules.push_back("P" + std::to_string(i) + " != P" + std::to_string(j));
  }
  return space;
}

// Each combination of the first parameters leaves a different condition on the others.
inline HardSpace modular_sum() {
  HardSpace space{"hard_modular_sum", {}, {}};
  constexpr int weights[] = {104729161, 224737049, 350377333, 479001599, 611953037, 742938319, 870616973, 999999937};
  std::string sum;
  for (int i = 0; i < 8; ++i) {
    space.parameters.push_back(range_parameter("P" + std::to_string(i), 1, 16));
    sum += (i == 0 ? "" : " + ") + std::to_string(weights[i]) + " * P" + std::to_string(i);
  }
  space.rules = {"(" + sum + ") % 1000000007 < 10000000"};
  return space;
}

inline std::vector<HardSpace> hard_spaces() {
  return {finer_hotspot(), bounded_product(), permutation(), modular_sum()};
}

}  // namespace attune
