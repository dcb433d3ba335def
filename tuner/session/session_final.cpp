// The final stage: finalists against each other.
#include <algorithm>
#include <numeric>
#include <random>

#include "attune/error.hpp"
#include "session/session_run.hpp"

namespace attune {
namespace {

// After an interruption the user waits: this much comparing at most.
constexpr double kInterruptedSeconds = 1;

// Where there are several objectives, the best by others than the first are no slower than this, relative to the best.
constexpr double kOthersWithin = 4;

// A launch is metered in batches of so long, so that the device hardly waits between them.
constexpr double kMeterBatchNs = 10e6;
constexpr int kMostMeterBatch = 1000;

template <typename T>
void erase_at(std::vector<T>& items, std::size_t index) {
  if (index < items.size()) items.erase(items.begin() + static_cast<std::ptrdiff_t>(index));
}

}  // namespace

void SessionRun::Final::erase(std::size_t column) {
  erase_at(trials, column);
  erase_at(candidates, column);
  erase_at(deterministic, column);
  erase_at(energy, column);
  for (std::vector<double>& round : rounds) erase_at(round, column);
}

std::vector<Finalist> SessionRun::finalists_of(const std::vector<Trial>& trials) const {
  std::vector<Finalist> finalists;
  for (const Trial& trial : trials) {
    Finalist& finalist = finalists.emplace_back();
    finalist.configuration = trial.configuration.text();
    finalist.is_default = trial.configuration == *default_;
    finalist.is_record = present_ && trial.configuration == present_->configuration;
    finalist.is_doubtful = finalist.is_record && (present_->busy || present_->unstable);
    finalist.resource_cost = static_cast<std::uint64_t>(trial.usage.registers) + shared_bytes_of(trial);
  }
  return finalists;
}

// A finalist that fails now after all is logged as what it is.
void SessionRun::lose_finalist(Trial trial, const Status& status) {
  trial.measurement = {};
  trial.verdict = status.verdict;
  trial.detail = status.detail;
  const double begin = worker_->seconds();
  if (status.sticky) check_environment(trial.configuration.text(), trial.detail);
  lost_seconds_ += worker_->seconds() - begin;
  --survivors_;
  finish_trial(trial, false);
  commit();
}

// Where there are several objectives, every second place goes to the best by one of the others, in turn, as far as the
// search knows them.
void SessionRun::add_best_by_others(std::vector<Trial>& chosen) const {
  const std::vector<Trial> survivors = ranked_survivors();
  std::vector<std::vector<Trial>> by_others;
  for (std::size_t objective = 1; objective < request_.objectives.size(); ++objective) {
    if (request_.objectives.needs_energy(objective)) continue;
    const auto value = [&](const Trial& trial) { return value_of(trial, objective, trial.measurement.median_ns); };
    std::vector<Trial>& ranked = by_others.emplace_back(survivors);
    std::stable_sort(ranked.begin(), ranked.end(), [&](const Trial& a, const Trial& b) { return value(a) < value(b); });
  }
  if (by_others.empty()) return;
  const auto most = static_cast<std::size_t>(protocol_.finalists);
  chosen.resize(std::min(chosen.size(), (most + 1) / 2));
  for (std::size_t rank = 0; rank < survivors.size(); ++rank)
    for (const std::vector<Trial>& ranked : by_others) {
      if (time_ratio(ranked[rank]) > kOthersWithin * time_ratio(survivors.front())) continue;
      const auto is_it = [&](const Trial& trial) { return trial.configuration == ranked[rank].configuration; };
      if (chosen.size() < most && std::none_of(chosen.begin(), chosen.end(), is_it)) chosen.push_back(ranked[rank]);
    }
}

std::vector<Trial> SessionRun::choose_finalists(std::vector<Trial> ranked) const {
  if (ranked.size() > static_cast<std::size_t>(protocol_.finalists))
    ranked.resize(static_cast<std::size_t>(protocol_.finalists));
  if (request_.objectives.size() > 1) add_best_by_others(ranked);
  const auto add = [&](const Configuration& configuration) {
    const bool there =
        std::any_of(ranked.begin(), ranked.end(), [&](const Trial& t) { return t.configuration == configuration; });
    // Not contains(): in a narrowed space the present record stands for what lies outside.
    if (there || !space_.broken_rules(configuration).empty()) return;
    const auto tried = trials_.find(configuration.text());
    if (tried != trials_.end() && tried->second.verdict != Verdict::ok) return;
    Trial trial;
    trial.configuration = configuration;
    ranked.push_back(tried == trials_.end() ? trial : tried->second);
  };
  add(*default_);
  if (present_) add(present_->configuration);
  return ranked;
}

// Those that do not pass their check again are lost.
void SessionRun::load_finalists(Final& final) {
  for (std::size_t i = 0; i < final.trials.size();) {
    const Trial trial = final.trials[i];
    const std::optional<Image> image = image_of(trial.configuration);
    const TrialWorker::Checked checked =
        image ? worker_->check(trial.configuration, *image, trial.attempts) : TrialWorker::Checked{};
    if (!checked.candidate) {
      if (image) lose_finalist(trial, checked.status);
      final.erase(i);
      continue;
    }
    final.trials[i].numerics.include(checked.numerics);
    final.trials[i].usage = image->largest_usage();  // of the present record it was not known
    final.candidates.push_back(*checked.candidate);
    ++i;
  }
}

// One sample of each, in random order, so many times; or the number of one that failed, which is then lost.
std::optional<std::size_t> SessionRun::measure_rounds(Final& final, std::size_t rounds, std::mt19937_64& random) {
  std::vector<std::size_t> order(final.trials.size()), turns;
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t r = 0; r < rounds; ++r) {
    std::shuffle(order.begin(), order.end(), random);
    turns.insert(turns.end(), order.begin(), order.end());
  }
  std::vector<TrialWorker::CandidateId> candidates;
  for (const std::size_t i : turns) candidates.push_back(final.candidates[i]);
  const std::size_t heard = throttled_readings_.size();
  const TrialWorker::InTurn samples = sample_in_turn(candidates);
  note_watched();
  if (!samples.status.ok()) {
    const std::size_t failed = turns[samples.failed.value()];
    lose_finalist(final.trials[failed], samples.status);
    return failed;
  }
  final.heard.insert(final.heard.end(), rounds, {heard, throttled_readings_.size()});
  for (std::size_t k = 0; k < turns.size(); ++k) {
    if (k % order.size() == 0) final.rounds.emplace_back(order.size());
    final.rounds.back()[turns[k]] = std::max(samples.nanoseconds[k], 1.0);
  }
  return std::nullopt;
}

// Those who cannot win any more leave, with what was measured of them. Where there are several objectives, or the
// energy is metered, who is slow may be best all the same.
void SessionRun::race(Final& final, std::vector<Finalist>& finalists, Rounds& values) const {
  if (request_.objectives.size() > 1 || request_.objectives.needs_energy()) return;
  const std::vector<std::size_t> leaving = beaten(finalists, values, protocol_);
  for (auto column = leaving.rbegin(); column != leaving.rend(); ++column) {
    Final::Beaten& one = final.beaten.emplace_back();
    one.trial = final.trials[*column];
    one.candidate = final.candidates[*column];
    for (const std::vector<double>& round : final.rounds) one.times_ns.push_back(round[*column]);
    for (std::vector<double>& round : values) erase_at(round, *column);
    erase_at(finalists, *column);
    final.erase(*column);
  }
}

// Whether it is settled is asked of what decides: the objective, as far as it depends on the time.
void SessionRun::take_rounds(Final& final, const Protocol& protocol) {
  const double begin = comparing_seconds();
  std::mt19937_64 random(row_.seed);
  std::vector<Finalist> finalists = finalists_of(final.trials);
  Rounds values;
  double seconds = 0;
  while (!final.trials.empty() && (final.rounds.empty() || stop_.load() < 2) &&
         wants_another_round(finalists, values, seconds, protocol)) {
    const std::size_t ahead = worker_->samples_one_by_one() ? 1 : rounds_ahead(values.size(), seconds, protocol);
    const auto failed = measure_rounds(final, ahead, random);
    seconds = comparing_seconds() - begin;
    if (failed) {
      final.erase(*failed);
      erase_at(finalists, *failed);
      for (std::vector<double>& round : values) erase_at(round, *failed);
      continue;
    }
    while (values.size() < final.rounds.size()) {
      std::vector<double>& round = values.emplace_back(final.rounds[values.size()]);
      for (std::size_t i = 0; i < round.size(); ++i) round[i] = searched_value(final.trials[i], round[i]);
    }
    if (is_looked_at(values.size(), protocol)) race(final, finalists, values);
    observer_.final_round_done(final.rounds.size());
  }
}

// The result once more, behind all those samples; and whether it repeats. False when it is lost.
bool SessionRun::recheck_finalist(Trial& trial, TrialWorker::CandidateId candidate,
                                  std::optional<bool>& deterministic) {
  const TrialWorker::Rechecked again = worker_->recheck(candidate, true);
  note_watched();
  if (!again.status.ok()) {
    lose_finalist(trial, again.status);
    return false;
  }
  trial.numerics.include(again.numerics);
  deterministic = again.deterministic;
  return true;
}

void SessionRun::recheck_finalists(Final& final) {
  for (std::size_t i = 0; i < final.trials.size();) {
    std::optional<bool> deterministic;
    if (recheck_finalist(final.trials[i], final.candidates[i], deterministic)) {
      final.deterministic.push_back(deterministic);
      ++i;
    } else {
      final.erase(i);
    }
  }
  for (auto one = final.beaten.begin(); one != final.beaten.end();)
    one = recheck_finalist(one->trial, one->candidate, one->deterministic) ? one + 1 : final.beaten.erase(one);
}

// False when it was interrupted: then nothing was metered.
bool SessionRun::meter_finalists(Final& final, const Protocol& protocol) {
  if (!request_.objectives.needs_energy()) return true;
  const std::size_t readings = throttled_readings_.size();
  observer_.energy_started(final.trials.size(), protocol.energy_warm_seconds + protocol.energy_seconds);
  for (std::size_t i = 0; i < final.trials.size();) {
    if (stop_.load() > 0) {
      final.energy.clear();
      return false;
    }
    SamplePlan plan{.count = 1, .stop_above_ns = 0, .regime = request_.regime, .batch = 1};
    const double fitting = kMeterBatchNs / std::max(final.rounds.front()[i], 1.0);
    if (worker_->can_batch()) plan.batch = static_cast<int>(std::clamp<double>(fitting, 1, kMostMeterBatch));
    const TrialWorker::Metering metering =
        worker_->meter(final.candidates[i], plan, protocol.energy_warm_seconds, protocol.energy_seconds);
    note_watched();
    if (!metering.status.ok()) {
      lose_finalist(final.trials[i], metering.status);
      final.erase(i);
      continue;
    }
    if (!metering.energy)
      throw Error(device_.name + "'s energy counter took too few steps in " + std::to_string(protocol.energy_seconds) +
                  " s to tell what " + final.trials[i].configuration.text() +
                  " takes; the trials are kept: choose another --objective, and they are not measured again");
    final.energy.push_back(metering.energy);
    ++i;
  }
  final.metered_throttled = std::find(throttled_readings_.begin() + static_cast<std::ptrdiff_t>(readings),
                                      throttled_readings_.end(), true) != throttled_readings_.end();
  return true;
}

// Nothing when it was interrupted before it could decide.
std::optional<FinalDecision> SessionRun::final_stage(std::vector<Trial> chosen) {
  Final final;
  final.trials = std::move(chosen);
  load_finalists(final);
  if (final.trials.empty())
    throw Error("no finalist of " + request_.spec.name + " passes its check again; run the command once more");
  Protocol protocol = protocol_;
  if (stop_.load() > 0) protocol.final_seconds = std::min(protocol.final_seconds, kInterruptedSeconds);
  observer_.final_started(final.trials.size());
  clocks_mhz_.clear();
  take_rounds(final, protocol);
  recheck_finalists(final);
  const bool is_metered = meter_finalists(final, protocol);
  for (const TrialWorker::CandidateId candidate : final.candidates) worker_->release(candidate);
  for (const Final::Beaten& one : final.beaten) worker_->release(one.candidate);
  if (final.trials.empty()) throw Error("every finalist of " + request_.spec.name + " failed while it was measured");
  if (!is_metered && request_.objectives.needs_energy(0)) return std::nullopt;
  const FinalDecision decision = decide_between(final, protocol);
  finalists_ = std::move(final.trials);
  observer_.final_done(decision);
  return decision;
}

}  // namespace attune
