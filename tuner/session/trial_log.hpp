// TrialLog: the trials of one session: those known at its beginning, those under way, and those found. Verdicts become
// durable with the next attempts, or when the session waits. A thread of its own writes. One thread calls it.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <vector>

#include "core/verdict_counts.hpp"
#include "db/wisdom_store.hpp"
#include "session/candidates.hpp"
#include "session/observer.hpp"
#include "session/session_terms.hpp"
#include "session/store_writer.hpp"

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
  // Makes all verdicts durable, and everything that was handed over. Returns when nothing is pending.
  void commit();
  // Shows what is durable. Hands the verdicts so far over to be made durable, unless a commit is under way: there are
  // few commits if each takes all verdicts that came during the one before.
  void hand_over();
  // The same, but hands over only if the last commit was 50 ms ago or earlier, so that verdicts become durable soon at
  // little cost each.
  void hand_over_now_and_then();
  // Has something else written, after what was handed over.
  void write(StoreWriter::Write write);

  // Begins attempts, which are made durable together with all verdicts so far. `alone` says that nothing else is under
  // way.
  void begin_attempts(const std::vector<Candidate*>& begun, bool alone);
  // Waits until a candidate's attempt is durable, which it must be before its launch; then it has its number. Returns
  // false if an observer requested a stop meanwhile.
  bool await_attempt(const Candidate& candidate, const std::atomic<int>& stop);
  // Takes attempts back, because nothing was launched.
  void withdraw_attempts(const std::vector<Configuration>& configurations, bool alone);

 private:
  // What one transaction makes durable.
  struct Commit {
    std::uint64_t number = 0;  // of the write
    std::vector<Trial> verdicts;
    std::vector<Progress> progress;  // of each verdict
    std::vector<Configuration> configurations;
    std::vector<Attempt> begun;  // set by the writer
  };
  void know_elsewhere();
  void push(std::vector<Configuration> configurations, bool alone);
  bool show_durable();
  void show(Commit commit);
  template <typename Step>
  void with_writer(const Step& step);
  void take_back();

  const SessionTerms& terms_;
  WisdomStore& store_;
  const std::int64_t session_;
  Observer& observer_;
  std::vector<Trial> earlier_;
  std::vector<Attempt> open_attempts_;
  Candidates candidates_;
  std::int64_t size_ = 0;  // how many trials there are
  std::vector<Configuration> second_chances_;
  std::vector<Trial> verdicts_;     // not handed over
  std::vector<Progress> progress_;  // of each of them
  std::chrono::steady_clock::time_point committed_at_ = std::chrono::steady_clock::now();
  std::deque<Commit> pending_;
  StoreWriter writer_;  // ends first, since it writes to what is pending
};

}  // namespace attune
