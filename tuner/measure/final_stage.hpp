// The final stage: finalists measured against each other in randomised complete blocks, and the decision. Pure: the
// caller takes the samples, this says when to stop and who won.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "measure/protocol.hpp"
#include "measure/statistics.hpp"

namespace attune {

struct Finalist {
  std::string configuration;  // canonical text: the last tie-breaker
  bool is_default = false;
  bool is_record = false;           // the record that stands in the database
  std::uint64_t resource_cost = 0;  // registers per thread + shared bytes per block: fewer wins a tie
};

// rounds[r][f]: nanoseconds of finalist f in round r. Every round is complete.
using Rounds = std::vector<std::vector<double>>;

// The rounds in which the anchor (column `anchor`) stayed within protocol.anchor_drift of its median.
Rounds steady_rounds(const Rounds& rounds, std::size_t anchor, const Protocol& protocol);

// Whether more rounds are needed. `seconds` have been spent on the stage.
bool wants_another_round(const Rounds& rounds, double seconds, const Protocol& protocol);

struct FinalDecision {
  std::size_t winner = 0;   // column
  std::size_t fastest = 0;  // column with the least median, relative to its rounds; differs from winner in a tie
  double median_ns = 0;     // of the winner
  double default_ns = 0;    // of the default configuration; 0 when it did not take part
  double speedup = 1;       // median of the paired ratios default / winner
  Interval speedup_interval{1, 1};  // 95 %
  bool unstable = false;            // more rounds were unsteady than the protocol allows
  std::size_t rounds_used = 0, rounds_dropped = 0;
};

// Ties (closer than protocol.tie_ratio, or an interval of the paired log-ratio that contains 0) go to the present
// record, then the default, then the lesser resource cost, then the lesser text. At least one round, one finalist.
FinalDecision decide(const std::vector<Finalist>& finalists, const Rounds& rounds, const Protocol& protocol);

}  // namespace attune
