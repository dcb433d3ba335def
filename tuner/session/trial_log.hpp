// TrialLog: the trials of one session: what is known when it begins, what is under way, what was found. Verdicts become
// durable together with the attempt that follows, or when the session waits. One thread.
#pragma once

#include <atomic>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "db/wisdom_store.hpp"
#include "session/observer.hpp"
#include "session/session_terms.hpp"

namespace attune {

class TrialLog {
 public:
  TrialLog(const SessionTerms& terms, WisdomStore& store, std::int64_t session, Observer& observer);

  // The trials of this session that were there when it began, in their order. What is right is judged by [check] and
  // [[reference]], which may have been corrected since: wrong results are left out.
  const std::vector<Trial>& earlier() const noexcept { return earlier_; }
  // The attempts without a verdict that were there when it began.
  const std::vector<Attempt>& open_attempts() const noexcept { return open_attempts_; }
  // What another session with this key found out of a configuration; null where none did.
  const Trial* known(const std::string& configuration) const;
  // The verdict of a configuration that is not to be launched: it killed two workers, or attune itself too often.
  std::optional<Trial> left_alone(const Configuration& configuration) const;

  // Of this session, by the configuration's text.
  const std::map<std::string, Trial>& trials() const noexcept { return trials_; }
  const Trial* find(const std::string& configuration) const;
  std::int64_t size() const noexcept { return static_cast<std::int64_t>(trials_.size()); }

  // A verdict. The observer sees it once it is durable. Returns whether the configuration is new.
  bool add(const Trial& trial);
  // What the observer is shown with the trial that was added last.
  void show(const Progress& progress) { progress_.push_back(progress); }
  void commit();

  // Makes it durable that a configuration is about to be launched, with all verdicts so far. `alone`: nothing else is
  // under way. The attempt's number; nothing when an observer that was shown a verdict asked to stop.
  std::optional<int> begin_attempt(const Configuration& configuration, bool alone, const std::atomic<int>& stop);
  // Nothing was launched after all.
  void withdraw_attempt(const Configuration& configuration, bool alone);

 private:
  void show_committed();

  const SessionTerms& terms_;
  WisdomStore& store_;
  const std::int64_t session_;
  Observer& observer_;
  std::vector<Trial> earlier_;
  std::vector<Attempt> open_attempts_;
  std::map<std::string, Trial> known_;             // by configuration text, as are the next two
  std::map<std::string, std::string> left_alone_;  // why
  std::map<std::string, Trial> trials_;
  std::vector<Trial> uncommitted_;
  std::vector<Progress> progress_;  // of each of them
};

}  // namespace attune
