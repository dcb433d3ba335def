// The final stage: finalists measured against each other in randomised complete blocks, and the decision. Pure: the
// caller takes the samples; these functions end the rounds and choose the winner.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/choice.hpp"
#include "measure/protocol.hpp"
#include "measure/statistics.hpp"

namespace attune {

struct Finalist {
  std::string configuration;  // canonical text: the last tie-breaker
  bool is_default = false;
  bool is_record = false;           // stored in the database
  std::uint64_t resource_cost = 0;  // registers per thread + shared bytes per block: fewer wins a tie
  bool is_doubtful = false;         // a record of a busy or unstable device: it wins no ties
};

// rounds[r][f]: nanoseconds of finalist f in round r. Every round is complete.
using RoundTimes = std::vector<std::vector<double>>;

struct FinalRounds {
  RoundTimes times_ns;
  RoundTimes values;            // of the objective, as many; equal to the times where the objective is the time
  std::vector<bool> throttled;  // by round: the hardware held the device back; empty: in none
  // Finalists that left before the last round: their times in their rounds, from the first on.
  std::vector<std::vector<double>> left_ns = {};
};

// The number of readings of the device's state that had arrived when a round was sent, and after its samples.
struct ReadingsSeen {
  std::size_t before = 0, after = 0;
};

// Returns which rounds were throttled, where readings[k] is true for a throttled device. A reading covers one moment.
// The last one before a round and the first one after it count too.
std::vector<bool> throttled_rounds(const std::vector<ReadingsSeen>& seen, const std::vector<bool>& readings);

// Returns the steady rounds: not throttled, and not off as a whole. A round is off if three quarters of its finalists,
// two at least, deviate to the same side. They deviate by more than protocol.round_drift from their medians. A clock
// moves all finalists; a single sample of a short kernel may deviate as much alone.
std::vector<std::size_t> steady_rounds(const FinalRounds& rounds, const Protocol& protocol);

// Returns whether so many rounds are evaluated: every protocol.look_every-th time after the least. From 40 x look_every
// on, every second of these times; from 80 x on, every fourth, and so on. An evaluation costs more than a sample of a
// short kernel.
bool is_looked_at(std::size_t rounds, const Protocol& protocol);

// Returns how many rounds may be sent at once, at least one. They end at the next look, and last protocol.ahead_seconds
// at most. The estimate takes the mean of the rounds before, which took `seconds`.
std::size_t rounds_ahead(std::size_t done, double seconds, const Protocol& protocol);

// Returns whether another round is needed, by the protocol's limits: the least and the most rounds, the seconds, the
// half width. `seconds` have passed. `half_width` is called after some rounds only: it takes long.
bool needs_another_round(std::size_t rounds, double seconds, const Protocol& protocol,
                         const std::function<double()>& half_width);

// Returns whether so many rounds are enough for this half width.
bool is_settled(std::size_t rounds, double half_width, const Protocol& protocol);

// Returns the median half-width of the 95 % interval of the log-ratio to the fastest, over finalists that may still
// win. Each half-width follows from the scatter of a pair. One scatter is precise to a tenth or two: alone, it would
// end the rounds when it looks small. Returns 0 when no other finalist may win.
double typical_half_width(const std::vector<Finalist>& finalists, const RoundTimes& values, const Protocol& protocol);

// Returns the finalists that cannot win any more, by ascending column. Their 99.9 % interval of the paired log-ratio to
// the fastest lies above protocol.lean_tie_ratio: it is no tie either. The level is high since the test is repeated.
// Default and present record stay: ties and speed-ups are relative to them. (Racing: Maron and Moore, NIPS 1993.)
std::vector<std::size_t> beaten(const std::vector<Finalist>& finalists, const RoundTimes& values,
                                const Protocol& protocol);

struct FinalDecision {
  std::size_t winner = 0;               // column
  std::size_t fastest = 0;              // column with the least median, relative to its rounds
  Choice choice = Choice::fastest;      // why the winner won
  double median_ns = 0;                 // of the winner
  double default_ns = 0;                // of the default configuration; 0 when it did not take part
  double value = 0, default_value = 0;  // of the objective
  double speedup = 1;                   // median of the paired ratios default / winner, of the objective
  Interval speedup_interval{1, 1};      // 95 %
  double half_width = 0;                // typical_half_width() of all rounds
  bool is_settled = true;               // is_settled(), and nothing looks different from the winner without being so
  bool unstable = false;                // more rounds were unsteady than the protocol allows
  std::vector<std::size_t> used;        // the rounds that count
  std::size_t rounds_dropped = 0;
  std::size_t rounds_throttled = 0;  // among the dropped rounds
};

// Decides. The present record stays, else the default, unless the fastest surely beats it: unless the median of the
// paired log-ratio is at least protocol.tie_ratio and its interval lies above 0. Among all others the least median
// wins. Of those whose medians are closer than lean_tie_ratio the lesser resource cost wins, then the lesser text: what
// noise cannot tell apart is no tie. Needs at least one round and one finalist.
FinalDecision decide(const std::vector<Finalist>& finalists, const FinalRounds& rounds, const Protocol& protocol);

// Returns one finalist's entries of some rounds.
std::vector<double> column(const RoundTimes& rounds, std::size_t finalist, const std::vector<std::size_t>& of);

}  // namespace attune
