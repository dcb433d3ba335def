// SearchProgress: what a search has found and spent, and by which rule it ends. One thread.
#pragma once

#include <map>
#include <optional>

#include "session/objective_values.hpp"
#include "session/observer.hpp"
#include "session/trial_log.hpp"

namespace attune {

class SearchProgress {
 public:
  // Takes over the log's earlier trials. `used_seconds` is what the session's earlier runs used. References must
  // outlive the object.
  SearchProgress(const SessionTerms& terms, const ObjectiveValues& values, const TrialLog& log, double used_seconds);

  // Counts a trial that was just added to the log. `is_new`: its configuration had no trial before. `from_log`: the
  // trial is another session's. Throws Error if an objective has no value for the trial.
  void see(const Trial& trial, bool is_new, bool from_log);
  // Counts a survivor that fails after the search.
  void lose_survivor() { --survivors_; }

  double score(const Trial& trial) const;
  const Configuration& best() const noexcept { return best_; }  // empty while there is none
  double best_score() const noexcept { return best_score_; }    // 0 while there is none
  std::int64_t survivors() const noexcept { return survivors_; }
  std::int64_t run_trials() const noexcept { return run_trials_; }  // tried in this run, not answered from the log
  // Returns the best time so far, scaled to this time of the anchor; first samples are compared with it. Returns 0
  // while there is none, and if the first objective is neither `time` nor one that needs energy.
  double incumbent_ns(double anchor_ns) const;
  // Returns the progress that the observer receives with a trial that was just seen.
  Progress shown(double run_seconds, double anchor_ns, bool from_log) const;
  double used_seconds(double run_seconds) const noexcept { return used_seconds_ + run_seconds; }
  // Returns how many seconds this run may search, by the user's limit and the effort's budget, or Pool::forever if
  // neither has a limit.
  double run_seconds() const;

  // Returns the user's limit that this run has reached, if any.
  std::optional<Ending> limit_reached(double run_seconds, double anchor_ns) const;
  // Returns the rule that ends the search now, if any. Rules that finish the session come before others.
  std::optional<Ending> stop_reason(double run_seconds, double anchor_ns) const;
  // Returns the survivors, best first.
  std::vector<Trial> ranked_survivors() const;

 private:
  SearchUse spent(double run_seconds, double anchor_ns) const;  // of this run
  void keep_best(const Trial& trial);
  void rank_again();
  bool is_hopeless() const;

  const SessionTerms& terms_;
  const ObjectiveValues& values_;
  const TrialLog& log_;
  const double used_seconds_;
  Improvement improvement_;
  std::map<Verdict, std::int64_t> first_verdicts_;  // of the session's first trials
  std::int64_t survivors_ = 0, run_trials_ = 0;
  double best_score_ = 0;  // the least score; 0 while there is none
  double best_ratio_ = 0;  // time of the best, relative to the anchor's
  Configuration best_;
  bool is_new_best_ = false;  // the trial that was seen last is the best
};

}  // namespace attune
