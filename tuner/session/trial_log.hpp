// TrialLog: the trials of one session: known at its beginning, under way, and found. Verdicts become durable with the
// next attempt, or when the session waits. One thread.
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
  int attempts = 1;  // how often this session began it
};

class TrialLog {
 public:
  TrialLog(const SessionTerms& terms, WisdomStore& store, std::int64_t session, Observer& observer);

  // Returns the trials of this session at its beginning, in their order. Wrong results are left out: [check] and
  // [[reference]] may have been corrected since.
  const std::vector<Trial>& earlier() const noexcept { return earlier_; }
  // Returns the attempts without a verdict at its beginning.
  const std::vector<Attempt>& open_attempts() const noexcept { return open_attempts_; }
  // Returns another session's trial of a configuration with this key; null where there is none.
  const Trial* known(const std::string& configuration) const;
  // Returns why a configuration must not be launched: it killed two workers, or attune itself too often. Null: it may.
  const LeftAlone* left_alone(const Configuration& configuration) const;

  // Returns what this run tries again, whatever budget is left: what was lifted from quarantine, and what died with its
  // compiler in the run before.
  const std::vector<Configuration>& second_chances() const noexcept { return second_chances_; }

  // Returns this session's trials, by the configuration's text.
  const std::map<std::string, Trial>& trials() const noexcept { return trials_; }
  const Trial* find(const std::string& configuration) const;
  // Returns the trial of what is the anchor: the first of the terms' anchors that is right; null while there is none.
  const Trial* find_anchor() const;
  VerdictCounts verdicts() const;
  std::int64_t size() const noexcept { return static_cast<std::int64_t>(trials_.size()); }

  // Adds a verdict. The observer receives it once it is durable. Returns whether the configuration is new.
  bool add(Trial trial);
  // Sets the progress that the observer receives with the last trial.
  void show(const Progress& progress) { progress_.push_back(progress); }
  void commit();

  // Commits when the last commit is some time back: verdicts become durable soon, at little cost each.
  void commit_now_and_then();

  // Makes attempts durable before their launches, with all verdicts so far. `alone`: nothing else is under way. Returns
  // the attempts' numbers, in order; none when an observer requested a stop.
  std::vector<int> begin_attempts(const std::vector<Configuration>& configurations, bool alone,
                                  const std::atomic<int>& stop);
  // Takes attempts back: nothing was launched.
  void withdraw_attempts(const std::vector<Configuration>& configurations, bool alone);

 private:
  void show_committed();

  const SessionTerms& terms_;
  WisdomStore& store_;
  const std::int64_t session_;
  Observer& observer_;
  std::vector<Trial> earlier_;
  std::vector<Attempt> open_attempts_;
  std::map<std::string, Trial> known_;  // by configuration text, as are the next two
  std::map<std::string, LeftAlone> left_alone_;
  std::map<std::string, Trial> trials_;
  std::map<std::string, Trial> dropped_;  // this session's, which are tried again
  std::vector<Configuration> second_chances_;
  std::vector<Trial> uncommitted_;
  std::vector<Progress> progress_;  // of each of these verdicts
  std::chrono::steady_clock::time_point committed_at_ = std::chrono::steady_clock::now();
};

}  // namespace attune
