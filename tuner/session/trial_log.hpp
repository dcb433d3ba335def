// TrialLog: the trials of one session: those known at its beginning, those under way, and those found. Verdicts become
// durable with the next attempt, or when the session waits. One thread.
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/verdict_counts.hpp"
#include "db/wisdom_store.hpp"
#include "session/observer.hpp"
#include "session/session_terms.hpp"

namespace attune {

// A configuration that must not be launched.
struct LeftAlone {
  std::string why;
  int attempts = 1;  // how often this session began to try it
};

class TrialLog {
 public:
  TrialLog(const SessionTerms& terms, WisdomStore& store, std::int64_t session, Observer& observer);

  // Returns the trials that this session had at its beginning, in their order. Wrong results are left out, because
  // [check] and [[reference]] may have been corrected since.
  const std::vector<Trial>& earlier() const noexcept { return earlier_; }
  // Returns the attempts that had no verdict at the session's beginning.
  const std::vector<Attempt>& open_attempts() const noexcept { return open_attempts_; }
  // Returns another session's successful trial of a configuration for the same key, or null if there is none.
  const Trial* known(const std::string& configuration) const;
  // Returns why a configuration must not be launched: it killed two workers, or attune itself too often. Returns null
  // if it may be launched.
  const LeftAlone* left_alone(const Configuration& configuration) const;

  // Returns the configurations that this run tries again, whatever budget is left: those lifted from quarantine, and
  // those whose compiler died or was late in the run before, or that were perhaps killed from outside.
  const std::vector<Configuration>& second_chances() const noexcept { return second_chances_; }

  // Returns this session's trials, by the configuration's text.
  const std::map<std::string, Trial>& trials() const noexcept { return trials_; }
  const Trial* find(const std::string& configuration) const;
  // Returns the trial of the anchor, which is the first of the terms' anchors with the verdict `ok`, or null while
  // there is none.
  const Trial* find_anchor() const;
  VerdictCounts verdicts() const;
  std::int64_t size() const noexcept { return static_cast<std::int64_t>(trials_.size()); }

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
  void show_committed();

  const SessionTerms& terms_;
  WisdomStore& store_;
  const std::int64_t session_;
  Observer& observer_;
  std::vector<Trial> earlier_;
  std::vector<Attempt> open_attempts_;
  std::map<std::string, Trial> known_;  // by configuration text, like the next three
  std::map<std::string, LeftAlone> left_alone_;
  std::map<std::string, Trial> trials_;
  std::map<std::string, Trial> dropped_;  // trials of this session whose configurations are tried again
  std::vector<Configuration> second_chances_;
  std::vector<Trial> uncommitted_;
  std::vector<Progress> progress_;  // of each uncommitted trial
  std::chrono::steady_clock::time_point committed_at_ = std::chrono::steady_clock::now();
};

}  // namespace attune
