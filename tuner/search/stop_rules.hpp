// Stop rules: when a search ends, and which reason it states. Plain values; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "attune/ending.hpp"

namespace attune {

// What result is fast enough: a time, or a ratio to the default configuration.
struct Target {
  enum class Kind { time, speedup };
  Kind kind = Kind::time;
  double value = 0;  // nanoseconds, or times as fast as the default; > 0
  // Returns whether a result meets the target. `speedup` must be 0 where the default configuration failed: no ratio is
  // met then.
  bool met(double nanoseconds, double speedup) const noexcept;
  friend bool operator==(const Target&, const Target&) = default;
};
// Reads "1.2ms", "35us", "800ns", "2s" or "2x" (twice as fast as the default). Throws UsageError.
Target parse_target(std::string_view text);
std::string to_text(const Target& target);

// The resources that a search has used, and its best result.
struct SearchUse {
  double seconds = 0;
  std::int64_t trials = 0;
  std::int64_t idle_trials = 0;  // since the last improvement
  double best_ns = 0;            // 0 while there is none
  double speedup = 0;            // of the best over the default; 0 where the default failed
};

struct Budget {
  std::optional<double> seconds = {};         // of the search; later stages are not counted
  std::optional<std::int64_t> trials = {};    // configurations tried
  std::optional<std::int64_t> patience = {};  // trials without an improvement
  std::optional<Target> target = {};
  // Returns the rule that ends the search, or nothing while it may go on. If several do, the first of these counts:
  // target, patience, trials, time.
  std::optional<Ending> reached(const SearchUse& spent) const noexcept;
};

// Counts the trials since the last improvement. An improvement is a gain of one per cent or more, since smaller
// differences are ties (measure/protocol.hpp). The gain is counted from the last improvement, so that many small steps
// add up to one.
class Improvement {
 public:
  static constexpr double least_gain = 0.01;
  // Adds a trial. `objective` is > 0, less is better, or 0 if the trial failed.
  void see(double objective) noexcept;
  // Adds an outcome known from elsewhere: it may be an improvement, but is no trial.
  void know(double objective) noexcept;
  // Returns the number of trials since the last improvement; 0 while none has survived.
  std::int64_t idle_trials() const noexcept { return idle_; }

 private:
  double reference_ = 0;  // the objective to improve on; 0 while there is none
  std::int64_t idle_ = 0;
};

}  // namespace attune
