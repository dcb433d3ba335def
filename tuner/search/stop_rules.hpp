// Stop rules: when a search ends, and the reason that is stated. Plain values; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace attune {

enum class StopReason {
  everything_tried,  // the strategy has nothing left
  effort_spent,      // the effort's own budget
  time,              // a limit of the user's, like the next three
  trials,
  patience,  // so many trials without an improvement
  target,    // fast enough
  interrupt,
  hopeless,  // nothing survives
};
std::string_view to_text(StopReason reason) noexcept;  // "everything_tried", "effort_spent", ...

// A fast enough result: a time, or a ratio to the default configuration.
struct Target {
  enum class Kind { time, speedup };
  Kind kind = Kind::time;
  double value = 0;  // nanoseconds, or times as fast as the default; > 0
  // `speedup` is 0 where the default configuration failed: then no ratio is met.
  bool met(double nanoseconds, double speedup) const noexcept;
  friend bool operator==(const Target&, const Target&) = default;
};
// Reads "1.2ms", "35us", "800ns", "2s" or "2x" (twice as fast as the default). Throws UsageError.
Target parse_target(std::string_view text);
std::string to_text(const Target& target);

// The resources that a search has used, and its best.
struct Spent {
  double seconds = 0;
  std::int64_t trials = 0;
  std::int64_t idle_trials = 0;  // since the last improvement
  double best_ns = 0;            // 0 while there is none
  double speedup = 0;            // of the best over the default; 0 where the default failed
};

struct Budget {
  std::optional<double> seconds = {};         // of searching; the final stage is not counted
  std::optional<std::int64_t> trials = {};    // tried
  std::optional<std::int64_t> patience = {};  // trials without an improvement
  std::optional<Target> target = {};
  // Returns the rule that ends the search. Several are ranked: target, patience, trials, time.
  std::optional<StopReason> reached(const Spent& spent) const noexcept;
};

// Counts the trials since the last improvement. An improvement is one per cent: differences below are ties
// (measure/protocol.hpp). It is counted from the last improvement, so that many small steps make one.
class Improvement {
 public:
  static constexpr double least_gain = 0.01;
  // Adds a trial. `objective` > 0, less is better, or 0 for a failed one.
  void see(double objective) noexcept;
  // Adds an outcome known from elsewhere: it may be better, but is not counted.
  void know(double objective) noexcept;
  // Returns the trials since then; 0 while nothing has survived.
  std::int64_t idle_trials() const noexcept { return idle_; }

 private:
  double reference_ = 0;  // the objective to improve on; 0 while there is none
  std::int64_t idle_ = 0;
};

}  // namespace attune
