#include "session/session_parts.hpp"

namespace attune {

SessionParts::SessionParts(const SessionTerms& session_terms, Pool& session_pool, WisdomStore& store,
                           const SessionRow& row, Observer& session_observer, const std::atomic<int>& session_stop)
    : terms(session_terms),
      pool(session_pool),
      observer(session_observer),
      stop(session_stop),
      values(terms),
      log(terms, store, row.id, observer),
      progress(terms, values, log, row.used_seconds),
      source(pool),
      seed(row.seed) {
  for (LaneId lane = 0; lane < pool.lanes(); ++lane) benches.emplace_back(pool, lane, terms, observer, stop);
}

std::list<TrialBench>::iterator SessionParts::leave_out(std::list<TrialBench>::iterator bench, const std::string& why) {
  observer.note(bench->device().name + " has no part in the search: " + why);
  return benches.erase(bench);
}

}  // namespace attune
