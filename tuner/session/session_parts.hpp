// SessionParts: what the stages of one session share. The references are to objects that outlive the stages. One
// thread.
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
  const SessionTerms& terms;
  const ObjectiveValues& values;
  Pool& pool;
  std::list<TrialBench>& benches;  // one for each device; the stages after the search use the first alone
  TrialLog& log;
  SearchProgress& progress;
  ImageSource& source;
  Observer& observer;
  const std::atomic<int>& stop;
  const std::uint64_t seed;
  double search_seconds = 0;  // of this run's search, once it has ended
  InstanceId last_instance = 0;
  TrialBench& bench() { return benches.front(); }
  InstanceId next_instance() { return ++last_instance; }
};

}  // namespace attune
