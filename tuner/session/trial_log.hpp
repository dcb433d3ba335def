// TrialLog: the trials of one session: those known at its beginning, those under way, and those found. Verdicts become
// durable with the next attempt, or when the session waits. One thread.
#pragma once

#include <atomic>
#include <chrono>
#include <vector>

#include "core/verdict_counts.hpp"
#include "db/wisdom_store.hpp"
#include "session/candidates.hpp"
#include "session/observer.hpp"
#include "session/session_terms.hpp"

namespace attune {

class TrialLog {
 public:
  TrialLog(const SessionTerms& terms, WisdomStore& store, std::int64_t session, Observer& observer);

  // Returns the trials that this session had at its beginning, in their order. Wrong results are left out, because
  // [check] and [[reference]] may have been corrected since.
  const std::vector<Trial>& earlier() const noexcept { return earlier_; }
  // Returns the attempts that had no verdict at the session's beginning.
  const std::vector<Attempt>& open_attempts() const noexcept { return open_attempts_; }
  Candidates& candidates() noexcept { return candidates_; }

  // Returns the configurations that this run tries again, whatever budget is left: those lifted from quarantine, and
  // those whose compiler died or was late in the run before, or that were perhaps killed from outside.
  const std::vector<Configuration>& second_chances() const noexcept { return second_chances_; }

  // Returns this session's trials, in the order of their configurations' texts.
  std::vector<const Trial*> trials() const;
  // Returns this session's trial of a configuration, or null.
  const Trial* find(const Configuration& configuration) const;
  // Returns the trial of the anchor, which is the first of the terms' anchors with the verdict `ok`, or null while
  // there is none.
  const Trial* find_anchor() const;
  VerdictCounts verdicts() const;
  std::int64_t size() const noexcept { return size_; }

  // Adds a trial with its verdict. The observer receives the trial once it is durable. Returns whether the
  // configuration is new.
  bool add(Trial trial);
  // Sets the progress that the observer receives with the last trial.
  void show(const Progress& progress) { progress_.push_back(progress); }
  void commit();

  // Commits if the last commit was 50 ms ago or earlier, so that verdicts become durable soon at little cost each.
  void commit_now_and_then();

  // Makes attempts durable before their launches, together with all verdicts so far. `alone` says that nothing else is
  // under way. Returns the attempts' numbers, in order, or none if an observer requested a stop.
  std::vector<int> begin_attempts(const std::vector<Configuration>& configurations, bool alone,
                                  const std::atomic<int>& stop);
  // Takes attempts back, because nothing was launched.
  void withdraw_attempts(const std::vector<Configuration>& configurations, bool alone);

 private:
  void know_elsewhere();
  void show_committed();

  const SessionTerms& terms_;
  WisdomStore& store_;
  const std::int64_t session_;
  Observer& observer_;
  std::vector<Trial> earlier_;
  std::vector<Attempt> open_attempts_;
  Candidates candidates_;
  std::int64_t size_ = 0;  // how many trials there are
  std::vector<Configuration> second_chances_;
  std::vector<Trial> uncommitted_;
  std::vector<Progress> progress_;  // of each uncommitted trial
  std::chrono::steady_clock::time_point committed_at_ = std::chrono::steady_clock::now();
};

}  // namespace attune
