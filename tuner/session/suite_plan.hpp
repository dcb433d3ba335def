// What a suite of sessions may spend, and which of its problems is searched next. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "attune/bindings.hpp"
#include "session/effort.hpp"
#include "session/session.hpp"

namespace attune {

// This many problems share an effort's time. More problems get as much each, so that a suite never takes more than an
// eighth of the searches of separate sessions.
inline constexpr std::size_t problems_per_effort = 8;

// What is left to search with, for all problems of a suite together. Nothing: no limit.
struct SuiteBudget {
  std::optional<double> seconds;
  std::optional<std::int64_t> trials;
  bool is_spent() const noexcept { return (seconds && *seconds <= 0) || (trials && *trials <= 0); }
};

// Returns how many seconds each of `problems` problems has on average, by the effort, which a longer limit of the user
// stretches. Returns nothing for an effort without a limit of time.
std::optional<double> share_of_effort(const EffortPlan& plan, const Budget& limits, std::size_t problems);

// Returns how a suite measures whose problems search for `share` seconds each: as its effort does, but confirming and
// comparing take as long together as the search, at most (one second each at least).
Protocol suite_protocol(const EffortPlan& plan, const Budget& limits, std::optional<double> share);

// Makes the stages short after an interruption, because the user waits.
void make_short(Protocol& protocol);

// What one problem's search has come to.
struct SearchSoFar {
  bool is_over = false;     // nothing is left to search
  int slices = 0;           // of this run
  double seconds = 0;       // of searching, in all runs
  std::int64_t trials = 0;  // in all runs
  std::int64_t before = 0;  // of these, those before the last slice
  double log_gain = 0;      // of the last slice: log(best before / best after), >= 0
};

// Returns by how much a second more is expected to improve the best, as a log-ratio. Trials in no certain order set the
// n-th record with a chance of 1/n (Renyi, "On the extreme elements of observations", 1962), so that the best falls by
// about a * ln n. The last slice tells a, which is at least one tie's, so that no problem is given up. The next second
// then gains a / seconds.
double expected_gain(const SearchSoFar& search);

// Returns the problem to search next: each once, in order, then the one that expects the most of its next second, as
// Ansor's scheduler chooses among the parts of a network (Zheng et al., OSDI 2020, section 6). Returns nothing when all
// are over.
std::optional<std::size_t> next_problem(std::span<const SearchSoFar> searches);

// Returns the limits of a problem's next slice. A slice is half of a problem's share of the whole suite, so that one
// half goes to all problems alike, and the other half to where it helps.
Budget slice_of(const SuiteBudget& whole, const SuiteBudget& left, std::size_t problems);

// What a suite's searches may still take: of its limits in this run, and of its effort over all runs. Slices under way
// count as they were given. One thread at a time.
class SuiteLimits {
 public:
  SuiteLimits() = default;
  // `problems`: of the suite, of which the open ones have no record so far. `used`: seconds that former runs took of
  // the effort. Of several benches, those that have a problem have the limit of time each, by the clock on the wall.
  SuiteLimits(const EffortPlan& plan, const Budget& limits, std::size_t problems, std::size_t open, std::size_t benches,
              double used);

  // Returns the seconds of an open problem's searches on average.
  std::optional<double> seconds_each() const;
  // Gives a slice. `now`: seconds of the wall since the beginning.
  Budget give_slice(double now);
  void end_slice(const Budget& given, double seconds, std::int64_t trials);
  // Return whether nothing is left to give; whether it stays so, whatever slices under way leave of theirs.
  bool is_given(double now) const { return left(now).is_spent(); }
  bool is_spent(double now) const;
  // Returns which limit was reached, once all is spent.
  Ending reason() const;

 private:
  SuiteBudget left(double now) const;

  std::size_t open_ = 0, benches_ = 1;
  std::optional<double> wall_seconds_;       // the user's limit, if there are several benches
  SuiteBudget whole_;                        // of this run
  std::optional<double> effort_left_;        // seconds, over all runs
  std::optional<double> seconds_left_;       // of the user's limit, of all benches together
  std::optional<std::int64_t> trials_left_;  // of the user's limit
  double seconds_given_ = 0;                 // to slices under way
  std::int64_t trials_given_ = 0;            // likewise
};

// More winners than this are not tried for each problem.
inline constexpr std::size_t most_winners = 8;
// Returns the configurations of a list, each once, the most frequent first, `most_winners` at most.
std::vector<Configuration> most_frequent(const std::vector<Configuration>& all);

// Adds to a result what the runs before it took.
void add_use(const SessionResult& before, SessionResult& result);

}  // namespace attune
