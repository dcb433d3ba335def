#include "session/session_parts.hpp"

#include <algorithm>
#include <map>

#include "worker/boards.hpp"

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
      source(pool, terms.request.images),
      seed(row.seed) {
  for (LaneId lane = 0; lane < pool.lanes(); ++lane) benches.emplace_back(pool, lane, terms, observer, stop);
}

void SessionParts::take_turns() {
  std::map<std::string, TrialBench*> by_lock;
  for (TrialBench& bench : benches) by_lock.emplace(lock_name(bench.device()), &bench);
  for (const auto& [name, bench] : by_lock) bench->turn().take();
}

void SessionParts::end_turns() {
  for (TrialBench& bench : benches) bench.turn().end();
}

bool SessionParts::others_wait() const {
  return std::any_of(benches.begin(), benches.end(), [](const TrialBench& bench) { return bench.others_wait(); });
}

double SessionParts::waited_seconds() const {
  double seconds = 0;
  for (const TrialBench& bench : benches) seconds += bench.waited_seconds();
  return seconds;
}

std::list<TrialBench>::iterator SessionParts::leave_out(std::list<TrialBench>::iterator bench, const std::string& why) {
  observer.note(board_text(bench->device()) + " has no part in the search: " + why);
  return benches.erase(bench);
}

}  // namespace attune
