// FinalistResult: what the final stage measured of one finalist; stored with the record. A plain value.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "attune/bindings.hpp"
#include "core/numerics.hpp"
#include "core/trial.hpp"

namespace attune {

struct FinalistResult {
  Configuration configuration;
  Measurement measurement;               // of the rounds that count
  std::vector<double> objective_values;  // in the order in which the objectives were given
  bool pareto = false;                   // no other finalist is better in one objective and as good in the rest
  std::optional<double> energy_j;        // of one launch
  double energy_error = 0;               // the counter's resolution as a share of energy_j: 0.02
  Numerics numerics;                     // before and after timing
  std::optional<bool> deterministic;     // whether two launches on the same data agree bit for bit; nothing: not tried
  int registers = 0;                     // of the step that uses the most
  std::uint64_t shared_bytes = 0;        // per block: static and dynamic
};

}  // namespace attune
