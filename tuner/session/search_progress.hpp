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
  // Takes over the trials that the log knew when it was made. `used_seconds`: of the session's runs before. References
  // must outlive it.
  SearchProgress(const SessionTerms& terms, const ObjectiveValues& values, const TrialLog& log, double used_seconds);

  // Counts a trial that is in the log now. `is_new`: its configuration had none. `from_log`: another session's. Throws
  // Error for one that an objective has no value for.
  void see(const Trial& trial, bool is_new, bool from_log);
  // Counts a survivor that fails now after all.
  void lose_survivor() { --survivors_; }

  double score(const Trial& trial) const;
  std::int64_t survivors() const noexcept { return survivors_; }
  std::int64_t run_trials() const noexcept { return run_trials_; }  // tried in this run
  // Returns the best time so far, at this time of the anchor, which first samples are compared with. Returns 0 while
  // there is none, and where the first objective is not the time.
  double incumbent_ns(double anchor_ns) const;
  // Returns the progress that the observer receives with a trial that was just seen.
  Progress shown(double run_seconds, double anchor_ns, bool from_log) const;
  double used_seconds(double run_seconds) const noexcept { return used_seconds_ + run_seconds; }
  // Returns what this run may search, of the user's limit and of the effort's budget; Pool::forever where there is
  // none.
  double run_seconds() const;

  // Returns the user's limit that this run has reached.
  std::optional<StopReason> limit_reached(double run_seconds, double anchor_ns) const;
  // Returns the rule that ends the search now, if one does. Rules that finish the session come before others.
  std::optional<StopReason> stop_reason(double run_seconds, double anchor_ns) const;
  // Returns the survivors, best first.
  std::vector<Trial> ranked_survivors() const;

 private:
  Spent spent(double run_seconds, double anchor_ns) const;  // of this run
  void keep_best(const Trial& trial);
  void rank_again();
  bool is_hopeless() const;

  const SessionTerms& terms_;
  const ObjectiveValues& values_;
  const TrialLog& log_;
  const double used_seconds_;
  Improvement improvement_;
  std::map<Verdict, std::int64_t> first_verdicts_;  // of the first trials
  std::int64_t survivors_ = 0, run_trials_ = 0;
  double best_score_ = 0;  // least; 0 while there is none
  double best_ratio_ = 0;  // its time, to the anchor's
  Configuration best_;
  bool is_new_best_ = false;  // the trial that was seen last
};

}  // namespace attune
