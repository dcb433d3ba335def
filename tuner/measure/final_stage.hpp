// The final stage measures finalists against each other in randomised complete blocks, and decides. Pure: the caller
// takes the samples; these functions say when the rounds end and choose the winner.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/board_result.hpp"
#include "core/choice.hpp"
#include "measure/blocks.hpp"

namespace attune {

struct Finalist {
  std::string configuration;  // canonical text, the last tie-breaker
  bool is_default = false;
  bool is_record = false;           // the present record, stored in the database
  std::uint64_t resource_cost = 0;  // registers per thread + shared bytes per block: the lesser wins a tie
  bool is_doubtful = false;         // the record was made on a busy or unstable device: it wins no ties
};

struct FinalRounds {
  RoundTimes times_ns;
  RoundTimes values;            // of the objective, in the same shape; equal to the times if the objective is the time
  std::vector<bool> throttled;  // by round: the hardware held the device back; empty if in none
  // By finalist that left before the last round: its times in its rounds, from the first on.
  std::vector<std::vector<double>> left_ns = {};
  Benches benches = {};
};

// How many readings of the device's state had arrived when a round was sent, and after its samples.
struct ReadingCounts {
  std::size_t before = 0, after = 0;
};

// Returns which rounds were throttled. readings[k] is true if the device was throttled at reading k. A reading covers
// one moment only, so the last reading before a round and the first one after it count too.
std::vector<bool> throttled_rounds(const std::vector<ReadingCounts>& seen, const std::vector<bool>& readings);

// Returns the steady rounds: those that are not throttled and not off as a whole. A round is off if three quarters of
// its finalists, two at least, deviate from their medians on its bench by more than protocol.round_drift to the same
// side. A clock moves all finalists; a single sample of a short kernel may deviate as much alone.
std::vector<std::size_t> steady_rounds(const FinalRounds& rounds, const Protocol& protocol);

// Returns whether the rounds are evaluated when there are `rounds` of them, of which `added` are new: several benches
// do not meet at the numbers where one bench's rounds end. From the least number on, they are evaluated every
// protocol.look_every rounds. From 40 x look_every rounds on the distance doubles, from 80 x on it doubles again, and
// so on: an evaluation costs more than a sample of a short kernel.
bool is_looked_at(std::size_t rounds, const Protocol& protocol, std::size_t added = 1);

// Returns how many rounds may be sent at once, at least one. They end at the next evaluation, and last
// protocol.ahead_seconds at most. Their time is estimated from the `done` rounds before, which took `seconds` together.
std::size_t rounds_ahead(std::size_t done, double seconds, const Protocol& protocol);

// Returns whether another round is needed after `rounds` rounds and `seconds` seconds, by the protocol's limits on
// rounds, seconds and half-width. Calls `half_width` only where is_looked_at(), because the call takes long.
bool needs_another_round(std::size_t rounds, double seconds, const Protocol& protocol,
                         const std::function<double()>& half_width, std::size_t added = 1);

// Returns whether `rounds` rounds with this half-width are enough.
bool is_settled(std::size_t rounds, double half_width, const Protocol& protocol);

// Returns the median, over the finalists that may still win, of the half-width of the 95 % interval of the log-ratio to
// the fastest. Each half-width follows from the scatter of a pair. One scatter is precise only to a tenth or two: taken
// alone, it would end the rounds when it looks small by chance. Returns 0 when only the fastest may win.
double typical_half_width(const std::vector<Finalist>& finalists, const RoundTimes& values, const Protocol& protocol,
                          const Benches& benches = {});

// Returns the half-width of the 95 % interval of the log-ratio of a finalist to the first: the greatest of all
// finalists. Finalists that cannot win count too.
double widest_half_width(const RoundTimes& values, const Benches& benches = {});

// Returns the finalists that cannot win any more, by ascending column: their 99.9 % interval of the paired log-ratio to
// the fastest lies above protocol.lean_tie_ratio, so that they cannot tie either. The level is high because the test is
// repeated. The default and the present record always stay, because ties and speed-ups are relative to them. (Racing:
// Maron and Moore, NIPS 1993.)
std::vector<std::size_t> beaten(const std::vector<Finalist>& finalists, const RoundTimes& values,
                                const Protocol& protocol, const Benches& benches = {});

struct FinalDecision {
  std::size_t winner = 0;   // column
  std::size_t fastest = 0;  // column with the least median of its times relative to their rounds, or best_worst_case()
  Choice choice = Choice::fastest;      // why the winner won
  double median_ns = 0;                 // of the winner
  double default_ns = 0;                // of the default configuration; 0 if it did not take part
  double value = 0, default_value = 0;  // of the objective
  double speedup = 1;                   // of the objective: median of the paired ratios default / winner
  Interval speedup_interval{1, 1};      // 95 %
  double half_width = 0;                // typical_half_width() of all rounds
  bool is_settled = true;               // is_settled(), and each that looks different from the winner surely is
  bool unstable = false;                // too many rounds were dropped (then all count), or fewer than 6 rounds count
  std::vector<std::size_t> used;        // the rounds that count
  std::size_t rounds_dropped = 0;
  std::size_t rounds_throttled = 0;  // among the dropped rounds
  bool boards_differ = false;        // do_benches_differ()
  std::vector<BoardResult> boards;   // of several benches, by number; the caller knows their UUIDs
};

// Returns the decision. The present record stays unless the fastest surely beats it; if it does not stay, the same goes
// for the default. The fastest surely beats another if the median of the paired log-ratio is at least
// protocol.tie_ratio and its interval lies above 0. Among all others the least median wins. If medians are closer to it
// than lean_tie_ratio, the lesser resource cost wins, then the lesser text. Noise alone makes no tie: an interval that
// contains 0 does not count here. Where benches differ, best_worst_case() is the fastest, and wins. Needs at least one
// round and one finalist.
FinalDecision decide(const std::vector<Finalist>& finalists, const FinalRounds& rounds, const Protocol& protocol);

// Returns one finalist's entries in the rounds `of`.
std::vector<double> column(const RoundTimes& rounds, std::size_t finalist, const std::vector<std::size_t>& of);

}  // namespace attune
