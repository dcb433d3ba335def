// SessionParts: the parts of one session, on which its stages work. One thread.
#pragma once

#include <atomic>
#include <functional>
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

  // Returns the first bench that is left, by whose anchor times are told.
  TrialBench& bench() { return benches.front(); }
  InstanceId next_instance() { return ++last_instance; }

  // Take and end the turns of all benches. They are taken in the order of the devices' locks, so that two tuners with
  // the same devices cannot wait for each other.
  void take_turns(int ends_at = 1);
  void end_turns();
  bool others_wait() const;       // for one of the turns
  bool is_busy();                 // other processes were on one of the devices, also of one that has left
  double waited_seconds() const;  // for turns
  // Returns the time by which stages after the search keep their limits, less what failures took on every bench.
  double comparing_seconds() const;
  // Does `part` on each bench from this one on, side by side. A bench leaves where the environment fails, or where the
  // part throws BenchFailure before a stop. Throws that failure if no bench is left, and all other failures.
  using Benches = std::list<TrialBench>;
  void on_each(Benches::iterator first, const std::function<void(TrialBench&)>& part);
  // Has a bench leave, if another is left, and tells the observer why. Returns whether it left.
  bool leaves(TrialBench& bench, const std::string& why);
  bool has_left(const TrialBench& bench) const;

  const SessionTerms& terms;
  Pool& pool;
  Observer& observer;
  const std::atomic<int>& stop;
  const ObjectiveValues values;
  TrialLog log;
  SearchProgress progress;
  Benches benches, gone;  // in order; those that have left
  ImageSource source;
  const std::uint64_t seed;
  double search_seconds = 0;  // of this run's search, once it has ended
  InstanceId last_instance = 0;
};

}  // namespace attune
