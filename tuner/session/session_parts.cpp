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

void SessionParts::take_turns(int ends_at) {
  std::map<std::string, TrialBench*> by_lock;
  for (TrialBench& bench : benches) by_lock.emplace(lock_name(bench.device()), &bench);
  for (const auto& [name, bench] : by_lock) bench->turn().take(ends_at);
}

void SessionParts::end_turns() {
  for (TrialBench& bench : benches) bench.turn().end();
}

bool SessionParts::others_wait() const {
  return std::any_of(benches.begin(), benches.end(), [](const TrialBench& bench) { return bench.others_wait(); });
}

bool SessionParts::is_busy() {
  const auto is_so = [](TrialBench& bench) { return bench.watch().is_busy(); };
  return std::any_of(benches.begin(), benches.end(), is_so) || std::any_of(gone.begin(), gone.end(), is_so);
}

double SessionParts::waited_seconds() const {
  double seconds = 0;
  for (const Benches* const some : {&benches, &gone})
    for (const TrialBench& bench : *some) seconds += bench.waited_seconds();
  return seconds;
}

double SessionParts::comparing_seconds() const {
  double seconds = benches.front().comparing_seconds();
  for (const TrialBench& bench : benches) seconds = std::max(seconds, bench.comparing_seconds());
  return seconds;
}

bool SessionParts::leaves(TrialBench& bench, const std::string& why) {
  if (benches.size() == 1) return false;
  const auto at = std::find_if(benches.begin(), benches.end(), [&](const TrialBench& one) { return &one == &bench; });
  observer.note(no_part_note(why, board_text(bench.device())));
  bench.abandon();
  gone.splice(gone.end(), benches, at);
  return true;
}

bool SessionParts::has_left(const TrialBench& bench) const {
  return std::any_of(gone.begin(), gone.end(), [&](const TrialBench& one) { return &one == &bench; });
}

void SessionParts::on_each(Benches::iterator first, const std::function<void(TrialBench&)>& part) {
  struct OfBench {
    TrialBench& bench;
    std::exception_ptr error{};
  };
  std::list<OfBench> all;
  std::vector<std::function<void()>> parts;
  for (; first != benches.end(); ++first) {
    OfBench& one = all.emplace_back(*first);
    parts.emplace_back([&one, &part] {
      try {
        part(one.bench);
      } catch (...) {
        one.error = std::current_exception();
      }
    });
  }
  pool.run_side_by_side(parts);
  for (const OfBench& one : all) {
    try {
      if (one.error) std::rethrow_exception(one.error);
    } catch (const BenchFailure& failure) {
      if (stop.load() > 0 || !leaves(one.bench, failure.what())) throw;
    } catch (const Error& error) {
      if (!one.bench.has_failed() || !leaves(one.bench, error.what())) throw;
    }
  }
}

}  // namespace attune
