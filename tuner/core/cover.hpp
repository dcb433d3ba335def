// Cover: a few configurations that serve all measured problems of a kernel on a class of devices, and the rule that
// says which configuration serves which problem (docs/covers.md). A plain value.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "attune/bindings.hpp"
#include "core/record.hpp"

namespace attune {

// What `tree` says where it names no configuration.
inline constexpr std::int64_t cover_default = -1;  // the kernel's default configuration serves
inline constexpr std::int64_t cover_silent = -2;   // types and choices that were not measured

struct Cover {
  RecordKey key;  // without a problem. There is one cover for each key
  std::string device_name;
  std::vector<Configuration> configurations;
  // Expressions over the problem, in attune's own dialect. `tree` gives a place in `configurations`, cover_default or
  // cover_silent. `measured` holds where the sizes of a problem lie between those that were measured.
  std::string tree, measured;
  std::int64_t problems = 0;  // that were measured
  // Expected of a problem that was not measured: how much more time the cover's choice takes than the best of all
  // configurations that were measured; 0.02: 2 %.
  double mean_loss = 0, worst_loss = 0;
  int protocol = first_present_protocol;
  std::string attune_version;
  std::int64_t made_ms = 0;  // Unix time, milliseconds
};

}  // namespace attune
