// Suite: kernels tuned for many problems as one session. Each problem keeps a session, trials and a record of its own.
// Their searches take turns in slices, share images, and try early what is best for another problem of their kernel.
// With several benches each visits another problem, on a thread of its own; one bench works on the caller's thread.
#pragma once

#include <span>
#include <vector>

#include "session/session.hpp"
#include "session/suite_benches.hpp"

namespace attune {

// Receives the events of a running suite. Its functions, and those of what session() returns, are called one at a time:
// on the caller's thread, and with several benches on theirs.
class SuiteObserver {
 public:
  virtual ~SuiteObserver() = default;
  // Returns who receives the events of this problem's session, which has a slice now. It stays valid until the next
  // call for this problem; of a suite with one bench, for any.
  virtual Observer& session(std::size_t problem) = 0;
  // A problem's slice has ended: `result` has its trials and what leads.
  virtual void slice_done(std::size_t /*problem*/, const SessionResult&) {}
  // A problem has its record, or none: as run_session() returns it.
  virtual void problem_done(std::size_t /*problem*/, const SessionResult&) {}
};

struct SuiteResult {
  std::vector<SessionResult> problems;  // in the order of the subjects
  bool interrupted = false;
  std::size_t known = 0;      // problems that had their record before
  std::size_t winners = 0;    // configurations of records, which were tried for each problem
  double busy_seconds = 0;    // in which device workers worked, in all stages
  double wall_seconds = 0;    // from beginning to end, by the latest clock of the benches
  std::int64_t compiled = 0;  // images that were compiled
};

// Runs a suite on benches of devices of one class. `request` is that of each problem; its limits of time and trials,
// and its effort's time, count for the whole suite (session/suite_plan.hpp); on several benches a limit of time is of
// the clock on the wall. `stop` is as in run_session(): after the first request every problem gets a short final stage.
// An Error of one problem leaves the others. Of several benches, one that is lost leaves its problem to the others.
// Throws the error of the last one, and as run_session() does for a broken environment.
SuiteResult run_suite(const SessionRequest& request, std::span<const Subject* const> subjects,
                      std::span<const SuiteBench> benches, ImageCache* images, SuiteObserver& observer,
                      const std::atomic<int>& stop);

}  // namespace attune
