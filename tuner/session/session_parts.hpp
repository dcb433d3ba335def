// SessionParts: the parts of one session, on which its stages work. One thread.
#pragma once

#include <atomic>
#include <list>

#include "session/image_source.hpp"
#include "session/objective_values.hpp"
#include "session/observer.hpp"
#include "session/search_progress.hpp"
#include "session/trial_bench.hpp"
#include "session/trial_log.hpp"

namespace attune {

struct SessionParts {
  // Makes the parts of the session `row`, with a bench for each device of the pool. The references must outlive it.
  SessionParts(const SessionTerms& terms, Pool& pool, WisdomStore& store, const SessionRow& row, Observer& observer,
               const std::atomic<int>& stop);

  // Returns the bench of the stages after the search. Its device's clock is the session's.
  TrialBench& bench() { return benches.front(); }
  InstanceId next_instance() { return ++last_instance; }

  // Take and end the turns of all benches. They are taken in the order of the devices' locks, so that two tuners with
  // the same devices cannot wait for each other.
  void take_turns();
  void end_turns();
  bool others_wait() const;       // for one of the turns
  double waited_seconds() const;  // for turns
  // Drops a bench that has no part in the session, and tells the observer why. Returns the next bench.
  std::list<TrialBench>::iterator leave_out(std::list<TrialBench>::iterator bench, const std::string& why);

  const SessionTerms& terms;
  Pool& pool;
  Observer& observer;
  const std::atomic<int>& stop;
  const ObjectiveValues values;
  TrialLog log;
  SearchProgress progress;
  std::list<TrialBench> benches;
  ImageSource source;
  const std::uint64_t seed;
  double search_seconds = 0;  // of this run's search, once it has ended
  InstanceId last_instance = 0;
};

}  // namespace attune
