#include "session/decide.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "attune/version.hpp"
#include "base/unix_ms.hpp"
#include "measure/statistics.hpp"

namespace attune {
namespace {

// Returns the rounds that count of those in which a contender took part, or all of these if none counts.
std::vector<std::size_t> used_of(const Contender& contender, const std::vector<std::size_t>& used) {
  std::vector<std::size_t> all(contender.times_ns.size()), some;
  std::iota(all.begin(), all.end(), std::size_t{0});
  for (const std::size_t r : used)
    if (r < all.size()) some.push_back(r);
  return some.empty() ? all : some;
}

// Picks rounds evenly, because a record does not need all of some thousand rounds.
std::vector<double> thinned(const std::vector<double>& samples_ns) {
  constexpr std::size_t most = 500;
  if (samples_ns.size() <= most) return samples_ns;
  std::vector<double> some;
  for (std::size_t i = 0; i < most; ++i) some.push_back(samples_ns[i * samples_ns.size() / most]);
  return some;
}

std::optional<double> joules_of(const Contender& contender) {
  return contender.energy ? std::optional(contender.energy->joules) : std::nullopt;
}

// Returns by which share the error of a metering changes the value of the first objective.
double energy_share(const Contender& contender, const ObjectiveValues& values) {
  const LaunchEnergy& energy = *contender.energy;
  const double time_ns = contender.times_ns.front();
  const double value = values.value(contender.trial, 0, time_ns, energy.joules);
  return std::abs(values.value(contender.trial, 0, time_ns, energy.joules * (1 + energy.error)) / value - 1);
}

// Adds the error of the meterings to the interval of the ratio, because rounds repeat times but not meterings.
void widen_by_energy(const std::vector<Contender*>& contenders, const SessionTerms& terms,
                     const ObjectiveValues& values, FinalDecision& decision) {
  const Contender& winner = *contenders[decision.winner];
  if (terms.is_default(winner.trial.configuration)) return;
  double off = 1 + energy_share(winner, values);
  for (const Contender* contender : contenders)
    if (terms.is_default(contender->trial.configuration)) off *= 1 + energy_share(*contender, values);
  decision.speedup_interval.low /= off;
  decision.speedup_interval.high *= off;
}

// Returns the result from times and values in rounds of these benches.
FinalistResult result_of(const Contender& contender, const std::vector<double>& times_ns,
                         const std::vector<double>& values, const Benches& benches, const ObjectiveValues& objectives) {
  FinalistResult result;
  result.configuration = contender.trial.configuration;
  result.measurement = summarise(times_ns);
  result.measurement.median_ns = median(by_bench(times_ns, benches));
  result.measurement.samples_ns = thinned(result.measurement.samples_ns);
  result.objective_values.push_back(median(by_bench(values, benches)));
  result.numerics = contender.trial.numerics;
  result.registers = contender.trial.usage.registers;
  result.shared_bytes = objectives.shared_bytes(contender.trial);
  result.deterministic = contender.deterministic;
  return result;
}

std::vector<FinalistResult> results_of(const FinalStageResult& compared, const std::vector<Contender*>& stayed,
                                       const FinalRounds& rounds, const FinalDecision& decision,
                                       const SessionTerms& terms, const ObjectiveValues& values) {
  std::vector<FinalistResult> results;
  std::vector<std::vector<double>> objectives;
  const Benches benches = chosen(compared.benches, decision.used);
  for (std::size_t i = 0; i < stayed.size(); ++i) {
    FinalistResult& result = results.emplace_back(result_of(*stayed[i], column(rounds.times_ns, i, decision.used),
                                                            column(rounds.values, i, decision.used), benches, values));
    if (stayed[i]->energy) {
      result.energy_j = stayed[i]->energy->joules;
      result.energy_error = stayed[i]->energy->error;
    }
    // If nothing was metered, as after an interrupt, only the deciding value is known.
    for (std::size_t o = 1; o < terms.request.objectives.size() && compared.is_metered; ++o)
      result.objective_values.push_back(
          values.value(stayed[i]->trial, o, result.measurement.median_ns, result.energy_j));
    objectives.push_back(result.objective_values);
  }
  const std::vector<bool> front = pareto_front(objectives);
  for (std::size_t i = 0; i < results.size(); ++i) results[i].pareto = front[i] && compared.is_metered;
  for (const Contender* contender : left(compared.contenders)) {
    const std::vector<std::size_t> used = used_of(*contender, decision.used);
    const std::vector<double> times_ns = chosen(contender->times_ns, used);
    std::vector<double> own = times_ns;
    for (double& value : own) value = values.value(contender->trial, 0, value);
    results.push_back(result_of(*contender, times_ns, own, chosen(compared.benches, used), values));
  }
  std::stable_sort(results.begin(), results.end(), [](const FinalistResult& a, const FinalistResult& b) {
    return a.objective_values.front() < b.objective_values.front();
  });
  return results;
}

}  // namespace

std::optional<SessionDecision> decide_between(FinalStageResult& compared, const SessionTerms& terms,
                                              const ObjectiveValues& values,
                                              const std::optional<Record>& present_record) {
  const bool needs_energy = terms.request.objectives.needs_energy(0);
  if (needs_energy && !compared.is_metered) return std::nullopt;
  const std::vector<Contender*> stayed = staying(compared.contenders);
  const RoundTimes times = rounds_of(stayed);
  FinalRounds rounds{times, times, compared.throttled, {}, compared.benches};
  for (const Contender* contender : left(compared.contenders)) rounds.left_ns.push_back(contender->times_ns);
  for (std::vector<double>& round : rounds.values)
    for (std::size_t i = 0; i < round.size(); ++i)
      round[i] = values.value(stayed[i]->trial, 0, round[i], joules_of(*stayed[i]));
  // Meterings that do not surely differ are a tie.
  Protocol protocol = terms.protocol;
  if (needs_energy)
    for (const Contender* contender : stayed)
      protocol.tie_ratio = protocol.lean_tie_ratio = std::max(protocol.tie_ratio, 2 * energy_share(*contender, values));

  SessionDecision decided;
  decided.decision = decide(finalists_of(stayed, terms, values, present_record), rounds, protocol);
  std::set<std::size_t> lanes(compared.benches.begin(), compared.benches.end());
  for (BoardResult& board : decided.decision.boards) board.uuid = compared.uuids[lanes.extract(lanes.begin()).value()];
  if (needs_energy) widen_by_energy(stayed, terms, values, decided.decision);
  decided.decision.unstable = decided.decision.unstable || compared.metered_throttled;
  decided.winner = stayed[decided.decision.winner]->trial;
  decided.results = results_of(compared, stayed, rounds, decided.decision, terms, values);
  return decided;
}

void take_figures(const FinalDecision& decision, Record& record) {
  record.median_ns = decision.median_ns;
  record.default_ns = decision.default_ns;
  record.speedup = decision.speedup;
  record.speedup_low = decision.speedup_interval.low;
  record.speedup_high = decision.speedup_interval.high;
  record.value = decision.value;
  record.default_value = decision.default_value;
  record.unstable = decision.unstable;
  record.choice = decision.choice;
  record.settled = decision.is_settled;
  record.rounds = static_cast<std::int64_t>(decision.used.size());
  record.rounds_dropped = static_cast<std::int64_t>(decision.rounds_dropped);
  record.boards = decision.boards;
  record.boards_differ = decision.boards_differ;
}

Record make_record(const SessionDecision& decided, const FinalStageResult& compared, const SessionTerms& terms,
                   const RecordFacts& facts) {
  const FinalDecision& decision = decided.decision;
  Record record;
  record.uuid = make_uuid();
  record.key = terms.key.record;
  record.device_name = terms.device.name;
  record.compute_capability = terms.device.compute_capability;
  record.multiprocessors = terms.device.multiprocessors;
  record.configuration = decided.winner.configuration;
  take_figures(decision, record);
  record.effort = terms.request.effort;
  record.partial = facts.partial;
  record.narrowed = terms.subject.identity().is_narrowed;
  record.self_checked = facts.self_checked;
  record.default_verdict = facts.default_verdict;
  record.space = terms.key.space;
  record.toolchain = facts.toolchain;
  record.driver = terms.device.driver;
  record.device_uuid = compared.uuids[*std::min_element(compared.benches.begin(), compared.benches.end())];
  record.attune_version = library_version;
  record.protocol = Protocol::version;
  record.seed = facts.seed;
  record.trials = facts.trials;
  record.made_ms = unix_ms();
  record.batch = facts.batch;
  record.sm_clock_mhz = compared.clocks_mhz.empty() ? 0 : median(compared.clocks_mhz);
  const double first_ns =
      median(by_bench(chosen(compared.first_ns, decision.used), chosen(compared.benches, decision.used)));
  record.anchor_ratio = first_ns > 0 ? decision.default_ns / first_ns : 0;
  record.busy = facts.busy;
  const auto is_winner = [&](const FinalistResult& result) { return result.configuration == record.configuration; };
  const Measurement& measured = std::find_if(decided.results.begin(), decided.results.end(), is_winner)->measurement;
  record.min_ns = measured.min_ns;
  record.q1_ns = measured.q1_ns;
  record.q3_ns = measured.q3_ns;
  return record;
}

bool keep_record(Record record, SessionDecision& decided, const std::optional<Record>& present_record, bool met_present,
                 WisdomStore& store) {
  // With met_present, the winner won against the present record in the same rounds. If that record's search was of the
  // same space, its trials still count.
  // Figures and efforts of records that were not measured here do not stand for those of this session.
  const bool met_own = met_present && present_record->origin == Origin::measured;
  const bool same_space = met_own && present_record->space == record.space;
  const bool confirmed = met_own && record.configuration == present_record->configuration;
  const bool is_doubtful = met_present && (present_record->busy || present_record->unstable);
  const bool was_complete = same_space && !present_record->partial && present_record->effort >= record.effort;
  if (was_complete && record.partial) {
    if (confirmed && !is_doubtful) return true;  // a search that was cut short adds nothing
    record.trials += present_record->trials;
  }
  if (same_space && present_record->effort > record.effort) {
    record.effort = present_record->effort;
    record.partial = present_record->partial;
  } else if (same_space && present_record->effort == record.effort) {
    record.partial = record.partial && present_record->partial;
  }
  // A record made on a quiet device keeps its measurements if it has won again on a busy or unstable one.
  const bool stands = confirmed && (record.busy || record.unstable) && !is_doubtful;
  if (stands) {
    Record clean = *present_record;
    clean.effort = record.effort;
    clean.partial = record.partial;
    clean.space = record.space;
    clean.narrowed = record.narrowed;
    clean.superseded = false;
    record = std::move(clean);
    decided.results = store.finalists(present_record->uuid);
  }
  store.put_record(record, met_present ? std::string_view(present_record->uuid) : std::string_view(), decided.results);
  return stands;
}

}  // namespace attune
