#include "session/start_warm.hpp"

#include <vector>

#include "session/warm_start.hpp"

namespace attune {
namespace {

// The most sessions elsewhere that a strategy learns from, and the least trials that make a session worth it.
constexpr std::size_t most_sources = 8, least_experience = 5;

// Excludes sessions for the problem and device at hand: what is known of these is told to the strategy as it is.
bool learns_from(const Record& record, const SessionTerms& terms, WisdomStore& store, Strategy& strategy) {
  const RecordKey& own = terms.key.record;
  const bool is_here = record.key.device_class == own.device_class && record.key.problem == own.problem;
  const bool means_the_same = record.key.regime == own.regime && is_of_present_meaning(record.protocol);
  if (is_here || !means_the_same || record.space != terms.key.space) return false;
  const Experience experience = experience_of(record.device_name + ", " + record.key.problem.text(),
                                              store.known_trials(record.key, record.space), terms.space);
  return experience.trials.size() >= least_experience && strategy.learn_from(experience);
}

// Has the strategy learn from a session of this database for another problem. Returns whether it does.
bool learns_from(std::int64_t session, const SessionTerms& terms, WisdomStore& store, Strategy& strategy) {
  const Experience experience = experience_of("session " + std::to_string(session), store.trials(session), terms.space);
  return experience.trials.size() >= least_experience && strategy.learn_from(experience);
}

std::vector<Row> rows_of(const std::vector<Configuration>& configurations, const SearchSpace& space) {
  std::vector<Row> rows;
  for (const Configuration& configuration : configurations)
    if (const auto row = space.row_of(configuration); row && space.contains(*row)) rows.push_back(*row);
  return rows;
}

}  // namespace

WarmStartCounts start_warm(const SessionTerms& terms, WisdomStore& store, Strategy& strategy, Proposals& proposals) {
  WarmStartCounts started;
  const auto first = [&](std::vector<Row> rows) {
    std::erase(rows, terms.space.row_of(terms.anchors.front()));  // the anchor goes before all others in any case
    return proposals.warm_start(rows);
  };
  if (terms.request.part) {
    started.configurations = first(rows_of(terms.request.part->first, terms.space));
    if (!terms.request.part->asks_strategy) return started;
    for (const std::int64_t session : terms.request.part->learns_from)
      if (started.sources < most_sources) started.sources += learns_from(session, terms, store, strategy);
  }
  started.ladder_steps = first(terms.subject.first_rows());
  if (terms.request.cold_start) return started;
  const RecordKey& own = terms.key.record;
  std::vector<Record> ranked = terms.subject.ranked(store.candidates(own), own.regime, own.objective);
  // A strategy that learns from all trials of a session elsewhere does not need to try that session's winner too.
  std::erase_if(ranked, [&](const Record& record) {
    const bool learns = started.sources < most_sources && learns_from(record, terms, store, strategy);
    started.sources += learns;
    return learns;
  });
  started.configurations += first(warm_start(ranked, terms.space));
  return started;
}

}  // namespace attune
