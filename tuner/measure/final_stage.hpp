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
  bool is_record = false;           // that stands in the database
  std::uint64_t resource_cost = 0;  // registers per thread + shared bytes per block: fewer wins a tie
  bool is_doubtful = false;         // a record that was made on a busy or unstable device: it wins no ties
};

// rounds[r][f]: nanoseconds of finalist f in round r. Every round is complete.
using RoundTimes = std::vector<std::vector<double>>;

// What the final stage saw.
struct FinalRounds {
  RoundTimes times_ns;
  RoundTimes values;                // of the objective, as many; the times themselves when it is the time
  std::vector<bool> throttled;  // by round: the hardware held the device back; empty: in none
  // Of those who left before the last round: their times in those they took part in, from the first on.
  std::vector<std::vector<double>> left_ns = {};
};

// How many readings of the device's state had been heard when a round was asked for, and when its samples were there.
struct ReadingsHeard {
  std::size_t before = 0, behind = 0;
};

// Which rounds were held back, when readings[k] says so of the device's state. A reading is of a moment: the last one
// before a round and the first one behind it count too.
std::vector<bool> throttled_rounds(const std::vector<ReadingsHeard>& heard, const std::vector<bool>& readings);

// The rounds (by number) that were not off as a whole, and in which nothing was held back. Off is a round in which
// three quarters of those that took part, two at least, were off their own medians by more than protocol.round_drift to
// the same side: a clock moves all of them, while single samples of a short kernel are off by as much by themselves.
std::vector<std::size_t> steady_rounds(const FinalRounds& rounds, const Protocol& protocol);

// Whether it is looked at what so many rounds say: every protocol.look_every-th time, behind the least; from 40 x
// look_every on every second of those times, from 80 x on every fourth, and so on. Looking costs more than a sample of
// a short kernel.
bool is_looked_at(std::size_t rounds, const Protocol& protocol);

// So many rounds may be asked for at once: up to the next look, and no more than take protocol.ahead_seconds when each
// takes as long as those before, which took `seconds`. At least one.
std::size_t rounds_ahead(std::size_t done, double seconds, const Protocol& protocol);

// Whether more rounds are needed: until it is settled between the fastest and those who are not clearly behind it by
// more than a tie. `seconds` have been spent on the stage.
bool wants_another_round(const std::vector<Finalist>& finalists, const RoundTimes& values, double seconds,
                         const Protocol& protocol);

// Who cannot win any more, by ascending column: whose 99.9 % interval of the paired log-ratio to the fastest lies above
// protocol.lean_tie_ratio, so that it is no tie either. Asked again and again, hence so sure. Never the default or the
// present record: ties and speed-ups are relative to them. (Racing: Maron and Moore, NIPS 1993.)
std::vector<std::size_t> beaten(const std::vector<Finalist>& finalists, const RoundTimes& values, const Protocol& protocol);

struct FinalDecision {
  std::size_t winner = 0;   // column
  std::size_t fastest = 0;  // column with the least median, relative to its rounds; differs from winner in a tie
  double median_ns = 0;     // of the winner
  double default_ns = 0;    // of the default configuration; 0 when it did not take part
  double value = 0, default_value = 0;  // the same of the objective
  double speedup = 1;                   // median of the paired ratios default / winner, of the objective
  Interval speedup_interval{1, 1};      // 95 %
  bool unstable = false;                // more rounds were unsteady than the protocol allows
  std::vector<std::size_t> used;        // the rounds that count
  std::size_t rounds_dropped = 0;
  std::size_t rounds_throttled = 0;  // of those dropped
};

// Ties go to the present record, then the default, then the lesser resource cost, then the lesser text. A tie is an
// interval of the paired log-ratio that contains 0, or a median below protocol.tie_ratio (of the record and the
// default) or lean_tie_ratio (of others). At least one round, one finalist.
FinalDecision decide(const std::vector<Finalist>& finalists, const FinalRounds& rounds, const Protocol& protocol);

// One finalist's entries of some rounds.
std::vector<double> column(const RoundTimes& rounds, std::size_t finalist, const std::vector<std::size_t>& of);

}  // namespace attune
