#include "session/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "attune/error.hpp"
#include "session/failed_trial.hpp"

namespace attune {
namespace {

// The limit of comparing after an interruption, because the user waits.
constexpr double interrupted_seconds = 1;

// The least rounds for each of several benches, as far as they are not dropped.
constexpr int rounds_of_each = static_cast<int>(least_sure_rounds) + 1;

// With several objectives, a finalist that is the best by a further objective may be this many times as slow as the
// best by the first objective.
constexpr double others_within = 4;

// The length of a metered batch. The device hardly waits between batches of this length.
constexpr double meter_batch_ns = 10e6;
constexpr int most_meter_batch = 1000;

bool contains(const std::vector<Trial>& trials, const Configuration& configuration) {
  return std::any_of(trials.begin(), trials.end(),
                     [&](const Trial& trial) { return trial.configuration == configuration; });
}

}  // namespace

std::vector<Finalist> finalists_of(const std::vector<Contender*>& contenders, const SessionTerms& terms,
                                   const ObjectiveValues& values, const std::optional<Record>& present_record) {
  std::vector<Finalist> finalists;
  for (const Contender* contender : contenders) {
    const Trial& trial = contender->trial;
    Finalist& finalist = finalists.emplace_back();
    finalist.configuration = contender->instance->text;
    finalist.is_default = terms.is_default(trial.configuration);
    finalist.is_record = present_record && trial.configuration == present_record->configuration;
    finalist.is_doubtful = finalist.is_record && (present_record->busy || present_record->unstable);
    finalist.resource_cost = static_cast<std::uint64_t>(trial.usage.registers) + values.shared_bytes(trial);
  }
  return finalists;
}

FinalStageResult Compare::run(std::vector<Trial> ranked) {
  const std::string& kernel = on_.terms.subject.name();
  load_all(choose(std::move(ranked)));
  if (compared_.contenders.empty())
    throw Error("no finalist of " + kernel + " passes its check again; run the command once more");
  if (on_.stop.load() > 0) protocol_.final_seconds = std::min(protocol_.final_seconds, interrupted_seconds);
  const int benches = static_cast<int>(on_.benches.size());
  if (benches > 1) protocol_.final_rounds_min = std::max(protocol_.final_rounds_min, benches * rounds_of_each);
  on_.observer.final_started(compared_.contenders.size());
  for (TrialBench& bench : on_.benches) bench.watch().clocks_mhz().clear();
  on_.on_each(on_.benches.begin(), [this](TrialBench& bench) { take_rounds(bench); });
  on_.on_each(on_.benches.begin(), [this](TrialBench& bench) { check_again(bench); });
  for (const Contender& contender : compared_.contenders) note_broken_promise(contender);
  compared_.is_metered = meter();
  see_benches();
  on_.on_each(on_.benches.begin(), [this](TrialBench& bench) {
    for (const Contender& contender : compared_.contenders) bench.release(contender.instance->id);
  });
  std::erase_if(compared_.contenders, [](const Contender& contender) { return contender.is_lost; });
  if (staying(compared_.contenders).empty())
    throw Error("every finalist of " + kernel + " failed while it was measured");
  return std::move(compared_);
}

// Takes what was seen of the devices and their anchors, by round.
void Compare::see_benches() {
  compared_.uuids.resize(on_.pool.lanes());
  compared_.throttled.resize(rounds());
  compared_.first_ns.resize(rounds());
  for (SessionParts::Benches* const some : {&on_.benches, &on_.gone})
    for (TrialBench& bench : *some) {
      compared_.uuids[bench.lane()] = bench.device().uuid;
      const std::vector<bool> throttled = throttled_rounds(seen_, bench.watch().throttled_readings());
      bool took_part = false;
      for (std::size_t r = 0; r < rounds(); ++r) {
        if (compared_.benches[r] != bench.lane()) continue;
        compared_.throttled[r] = throttled[r];
        compared_.first_ns[r] = bench.anchor().first_ns;
        took_part = true;
      }
      const std::vector<double>& clocks_mhz = bench.watch().clocks_mhz();
      if (took_part) compared_.clocks_mhz.insert(compared_.clocks_mhz.end(), clocks_mhz.begin(), clocks_mhz.end());
    }
}

std::vector<Trial> Compare::choose(std::vector<Trial> ranked) const {
  ranked.resize(std::min(ranked.size(), static_cast<std::size_t>(protocol_.finalists)));
  if (on_.terms.request.objectives.size() > 1) add_best_by_others(ranked);
  const auto add = [&](const Configuration& configuration) {
    // Does not ask contains(): in a narrowed space the present record may lie outside, but counts all the same.
    if (contains(ranked, configuration) || !on_.terms.space.broken_rules(configuration).empty()) return;
    const Candidate& candidate = on_.log.candidates().at(configuration);
    if ((candidate.trial && candidate.trial->verdict != Verdict::ok) || candidate.ban) return;
    Trial untried;
    untried.configuration = configuration;
    ranked.push_back(candidate.trial.value_or(untried));
  };
  const Trial* const anchor = on_.log.find_anchor();
  add(anchor != nullptr ? anchor->configuration : on_.terms.anchors.front());
  if (present_record_) add(present_record_->configuration);
  return ranked;
}

// With several objectives, every second place goes to the best by one of the further objectives, in turn, if the search
// knows its value.
void Compare::add_best_by_others(std::vector<Trial>& chosen) const {
  const std::vector<Trial> survivors = on_.progress.ranked_survivors();
  const Objectives& objectives = on_.terms.request.objectives;
  std::vector<std::vector<Trial>> by_others;
  for (std::size_t objective = 1; objective < objectives.size(); ++objective) {
    if (objectives.needs_energy(objective)) continue;
    const auto value = [&](const Trial& trial) { return on_.values.ratio(trial, objective, on_.log.find_anchor()); };
    std::vector<Trial>& ranked = by_others.emplace_back(survivors);
    std::stable_sort(ranked.begin(), ranked.end(), [&](const Trial& a, const Trial& b) { return value(a) < value(b); });
  }
  if (by_others.empty()) return;
  const auto most = static_cast<std::size_t>(protocol_.finalists);
  const auto ratio = [&](const Trial& trial) { return time_ratio(trial, on_.log.find_anchor()); };
  chosen.resize(std::min(chosen.size(), (most + 1) / 2));
  for (std::size_t rank = 0; rank < survivors.size(); ++rank)
    for (const std::vector<Trial>& ranked : by_others) {
      if (ratio(ranked[rank]) > others_within * ratio(survivors.front())) continue;
      if (chosen.size() < most && !contains(chosen, ranked[rank].configuration)) chosen.push_back(ranked[rank]);
    }
}

// Loads the chosen trials as contenders on each bench. Those that fail the check on one of them are lost.
void Compare::load_all(const std::vector<Trial>& chosen) {
  for (const Trial& trial : chosen) {
    const std::optional<ReadyInstance> made = ready(trial.configuration);
    if (!made) continue;
    Contender contender;
    contender.trial = trial;
    contender.instance = made->instance;
    on_.on_each(on_.benches.begin(), [&](TrialBench& bench) {
      if (const std::optional<TryAnswer> tried = load(bench, trial, *made))
        contender.trial.numerics.include(tried->numerics);
      else
        contender.is_lost = true;
    });
    if (contender.is_lost) {
      on_.on_each(on_.benches.begin(), [&](TrialBench& bench) { bench.release(made->instance->id); });
      continue;
    }
    // A trial of a configuration that was never tried has nothing but its configuration.
    describe(contender.trial, *made->instance, &made->image, on_.bench().is_self_checked());
    compared_.contenders.push_back(std::move(contender));
  }
}

// Returns the values that decide: those of the objective, as far as it depends on the time.
RoundTimes Compare::values_of(const std::vector<Contender*>& contenders) const {
  RoundTimes values = rounds_of(contenders);
  for (std::vector<double>& round : values)
    for (std::size_t i = 0; i < round.size(); ++i) round[i] = on_.values.searched_value(contenders[i]->trial, round[i]);
  return values;
}

// Takes rounds on one bench, beside those of others, until all rounds together are enough.
void Compare::take_rounds(TrialBench& bench) {
  Taker taker{bench};
  const double begin = bench.comparing_seconds();
  double seconds = 0, in_rounds = 0;  // in_rounds: without loads
  for (;;) {
    const std::vector<Contender*> stayed = staying(compared_.contenders);
    if (stayed.empty() || (rounds() > 0 && on_.stop.load() >= 2)) return;
    if (!needs_another(stayed, seconds, taker.added)) return;
    if (are_loaded_too_long(taker)) load_again(taker);
    const double before = bench.comparing_seconds();
    const bool complete = measure_rounds(taker, is_stream() ? 1 : rounds_ahead(taker.rounds, in_rounds, protocol_));
    seconds = bench.comparing_seconds() - begin;
    in_rounds += bench.comparing_seconds() - before;
    if (!complete) continue;
    if (is_looked_at(rounds(), protocol_, taker.added)) let_beaten_leave();
    on_.observer.final_round_done(rounds());
  }
}

bool Compare::needs_another(const std::vector<Contender*>& stayed, double seconds, std::size_t added) const {
  const auto half_width = [&] {
    if (on_.terms.request.part && on_.terms.request.part->revalidates)
      return widest_half_width(values_of(stayed), compared_.benches);
    return typical_half_width(finalists_of(stayed, on_.terms, on_.values, present_record_), values_of(stayed),
                              protocol_, compared_.benches);
  };
  return needs_another_round(rounds(), seconds, protocol_, half_width, added);
}

// In a stream a sample's scatter is less than the effect of where its code lies, so each round has its own load.
bool Compare::are_loaded_too_long(const Taker& taker) const {
  const std::size_t since = taker.rounds - taker.loaded_at;
  const std::size_t least = static_cast<std::size_t>(protocol_.load_again_every);
  return !on_.terms.opened.own_clock && since >= (is_stream() ? 1 : std::max(least, taker.rounds / 4));
}

// Loads the contenders anew, in random order: where code and scratch memory lie is chance, and may cost a per cent.
// Contenders that fail now are lost.
void Compare::load_again(Taker& taker) {
  taker.loaded_at = taker.rounds;
  std::vector<Contender*> stayed = staying(compared_.contenders);
  for (const Contender* contender : stayed) taker.bench.release(contender->instance->id);
  std::shuffle(stayed.begin(), stayed.end(), random_);
  for (Contender* contender : stayed) {
    const std::optional<ReadyInstance> made = ready(contender->trial.configuration);
    if (!made || !load(taker.bench, contender->trial, *made)) contender->is_lost = true;
  }
  taker.is_fresh = true;
}

// Takes a sample of each contender in `slots`. Returns nothing if one failed, which is then lost, or if the sampling
// ended early.
std::optional<std::vector<double>> Compare::sample(TrialBench& bench, const std::vector<Contender*>& slots) {
  std::vector<InstanceId> instances;
  for (const Contender* contender : slots) instances.push_back(contender->instance->id);
  constexpr int skips_comparing = 2;
  const bool may_end = rounds() > 0;
  SlotSamples samples = bench.sample_in_turn(instances, may_end ? skips_comparing : std::numeric_limits<int>::max());
  if (const std::optional<SampleFailure>& failure = samples.failure) {
    const auto at = std::find_if(slots.begin(), slots.end(),
                                 [&](const Contender* one) { return one->instance->id == failure->instance; });
    drop(bench, **at, failure->status, failure->result);
    return std::nullopt;
  }
  if (samples.samples_ns.empty()) return std::nullopt;  // ended early
  return std::move(samples.samples_ns);
}

// Takes `rounds` rounds: one sample of each contender, in random order. The first sample after a load does not count.
// Returns false, without these rounds, if they ended early or if a contender failed, which is then lost. A contender
// that left meanwhile, by another bench's rounds, gets no times.
bool Compare::measure_rounds(Taker& taker, std::size_t rounds) {
  std::vector<Contender*> order = staying(compared_.contenders), slots;
  if (std::exchange(taker.is_fresh, false)) slots = order;
  const std::size_t uncounted = slots.size();
  for (std::size_t r = 0; r < rounds; ++r) {
    std::shuffle(order.begin(), order.end(), random_);
    slots.insert(slots.end(), order.begin(), order.end());
  }
  const std::vector<bool>& readings = taker.bench.watch().throttled_readings();
  const std::size_t seen = readings.size();
  const std::optional<std::vector<double>> samples_ns = sample(taker.bench, slots);
  if (!samples_ns) return false;
  seen_.insert(seen_.end(), rounds, {seen, readings.size()});
  compared_.benches.insert(compared_.benches.end(), rounds, taker.bench.lane());
  taker.rounds += taker.added = rounds;
  for (std::size_t k = uncounted; k < slots.size(); ++k)
    if (!slots[k]->has_left && !slots[k]->is_lost) slots[k]->times_ns.push_back(std::max((*samples_ns)[k], 1.0));
  return true;
}

// Drops a contender that failed on this bench.
void Compare::drop(TrialBench& bench, Contender& contender, const Status& status, const Result& result) {
  lose(bench, contender.trial, status, result);
  bench.release(contender.instance->id);
  contender.is_lost = true;
}

// Lets contenders that cannot win any more leave, with their times. With several objectives, or with energy, none
// leaves, because a slow one may still be best.
void Compare::let_beaten_leave() {
  const Objectives& objectives = on_.terms.request.objectives;
  if (objectives.size() > 1 || objectives.needs_energy()) return;
  const std::vector<Contender*> stayed = staying(compared_.contenders);
  if (stayed.empty()) return;  // all were lost when they were loaded again
  const std::vector<Finalist> finalists = finalists_of(stayed, on_.terms, on_.values, present_record_);
  for (const std::size_t column : beaten(finalists, values_of(stayed), protocol_, compared_.benches))
    stayed[column]->has_left = true;
}

// Checks each contender's result once more after all samples, and whether the result repeats. A contender that fails is
// lost.
void Compare::check_again(TrialBench& bench) {
  for (Contender& contender : compared_.contenders) {
    if (contender.is_lost) continue;
    const Result result = bench.run(CheckAgain{contender.instance->id, true});
    const auto& checked = std::get<CheckAnswer>(result.answer);
    if (!checked.status.ok()) {
      drop(bench, contender, Status(checked.status), result);
      continue;
    }
    contender.trial.numerics.include(checked.numerics);
    if (checked.deterministic)
      contender.deterministic = *checked.deterministic && contender.deterministic.value_or(true);
  }
}

// Tells the observer of a configuration that is declared deterministic but is not, since applications that ask for
// deterministic ones would use it.
void Compare::note_broken_promise(const Contender& contender) {
  if (contender.is_lost || contender.deterministic.value_or(true)) return;
  const std::string rule = on_.terms.subject.deterministic_by(contender.trial.configuration);
  if (rule.empty()) return;
  on_.observer.note(fmt::format("{} differs from run to run, where {} promises equal bits",
                                contender.trial.configuration.text(), rule));
}

// Meters the energy of all contenders, on the first bench that does not fail. Returns false if interrupted; the
// metering is then incomplete and does not count.
bool Compare::meter() {
  if (!on_.terms.request.objectives.needs_energy()) return true;
  for (;;) {
    TrialBench& bench = on_.bench();
    try {
      return meter_all();
    } catch (const Error& error) {
      if (!bench.has_failed() || !on_.leaves(bench, error.what())) throw;
    }
    for (Contender& contender : compared_.contenders) contender.energy.reset();
  }
}

bool Compare::meter_all() {
  const std::size_t readings = on_.bench().watch().throttled_readings().size();
  const auto count = static_cast<std::size_t>(std::count_if(compared_.contenders.begin(), compared_.contenders.end(),
                                                            [](const Contender& one) { return !one.is_lost; }));
  on_.observer.energy_started(count, protocol_.energy_warm_seconds + protocol_.energy_seconds);
  for (Contender& contender : compared_.contenders) {
    if (contender.is_lost) continue;
    if (on_.stop.load() > 0) {
      for (Contender& one : compared_.contenders) one.energy.reset();
      return false;
    }
    meter_one(contender);
  }
  const std::vector<bool>& throttled = on_.bench().watch().throttled_readings();
  compared_.metered_throttled =
      std::find(throttled.begin() + static_cast<std::ptrdiff_t>(readings), throttled.end(), true) != throttled.end();
  return true;
}

// Meters one contender, which may be lost.
void Compare::meter_one(Contender& contender) {
  const bool is_warm = on_.terms.request.regime == Regime::warm;
  TimingPlan plan{.regime = is_warm ? Regime::warm : Regime::stream};
  const double fitting = meter_batch_ns / std::max(contender.times_ns.front(), 1.0);
  if (!on_.terms.subject.restores_inputs())
    plan.batch = static_cast<int>(std::clamp<double>(fitting, 1, most_meter_batch));
  Result result =
      on_.bench().run(Meter{contender.instance->id, plan, protocol_.energy_warm_seconds, protocol_.energy_seconds});
  const auto& metered = std::get<MeterAnswer>(result.answer);
  if (!metered.status.ok()) return drop(on_.bench(), contender, Status(metered.status), result);
  if (!metered.energy)
    throw Error(on_.terms.device.name + "'s energy counter took too few steps in " +
                std::to_string(protocol_.energy_seconds) + " s to measure " + contender.instance->text +
                "; the trials are kept: with another --objective they are not measured again");
  contender.energy = metered.energy;
}

}  // namespace attune
