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
  on_.observer.final_started(compared_.contenders.size());
  on_.bench().watch().clocks_mhz().clear();
  take_rounds();
  check_again();
  compared_.is_metered = meter();
  compared_.clocks_mhz = on_.bench().watch().clocks_mhz();
  for (const Contender& contender : compared_.contenders) on_.bench().release(contender.instance->id);
  if (staying(compared_.contenders).empty())
    throw Error("every finalist of " + kernel + " failed while it was measured");
  return std::move(compared_);
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

// Loads the chosen trials as contenders. Those that fail the check are lost.
void Compare::load_all(const std::vector<Trial>& chosen) {
  for (const Trial& trial : chosen) {
    const std::optional<ReadyInstance> made = ready(trial.configuration);
    const std::optional<TryAnswer> tried = made ? load(on_.bench(), trial, *made) : std::nullopt;
    if (!tried) continue;
    Contender& contender = compared_.contenders.emplace_back();
    contender.trial = trial;
    contender.trial.numerics.include(tried->numerics);
    // A trial of a configuration that was never tried has nothing but its configuration.
    describe(contender.trial, *made->instance, &made->image, on_.bench().is_self_checked());
    contender.instance = made->instance;
  }
}

// Returns the values that decide: those of the objective, as far as it depends on the time.
RoundTimes Compare::values_of(const std::vector<Contender*>& contenders) const {
  RoundTimes values = rounds_of(contenders);
  for (std::vector<double>& round : values)
    for (std::size_t i = 0; i < round.size(); ++i) round[i] = on_.values.searched_value(contenders[i]->trial, round[i]);
  return values;
}

void Compare::take_rounds() {
  const double begin = on_.bench().comparing_seconds();
  double seconds = 0, in_rounds = 0;  // in_rounds: without loads
  for (;;) {
    const std::vector<Contender*> stayed = staying(compared_.contenders);
    if (stayed.empty() || (rounds() > 0 && on_.stop.load() >= 2)) return;
    const auto half_width = [&] {
      if (on_.terms.request.part && on_.terms.request.part->revalidates) return widest_half_width(values_of(stayed));
      return typical_half_width(finalists_of(stayed, on_.terms, on_.values, present_record_), values_of(stayed),
                                protocol_);
    };
    if (!needs_another_round(rounds(), seconds, protocol_, half_width)) return;
    if (are_loaded_too_long()) load_again();
    const double before = on_.bench().comparing_seconds();
    const bool complete = measure_rounds(is_stream() ? 1 : rounds_ahead(rounds(), in_rounds, protocol_));
    seconds = on_.bench().comparing_seconds() - begin;
    in_rounds += on_.bench().comparing_seconds() - before;
    if (!complete) continue;
    if (is_looked_at(rounds(), protocol_)) let_beaten_leave();
    on_.observer.final_round_done(rounds());
  }
}

// In a stream a sample's scatter is less than the effect of where its code lies, so each round has its own load.
bool Compare::are_loaded_too_long() const {
  const std::size_t since = rounds() - loaded_at_, least = static_cast<std::size_t>(protocol_.load_again_every);
  return !on_.terms.opened.own_clock && since >= (is_stream() ? 1 : std::max(least, rounds() / 4));
}

// Loads the contenders anew, in random order: where code and scratch memory lie is chance, and may cost a per cent.
// Contenders that fail now are lost.
void Compare::load_again() {
  loaded_at_ = rounds();
  std::vector<Contender*> stayed = staying(compared_.contenders);
  for (const Contender* contender : stayed) on_.bench().release(contender->instance->id);
  std::shuffle(stayed.begin(), stayed.end(), random_);
  std::vector<const Contender*> lost;
  for (Contender* contender : stayed) {
    const std::optional<ReadyInstance> made = ready(contender->trial.configuration);
    if (made && load(on_.bench(), contender->trial, *made))
      contender->instance = made->instance;
    else
      lost.push_back(contender);
  }
  std::erase_if(compared_.contenders,
                [&](const Contender& one) { return std::find(lost.begin(), lost.end(), &one) != lost.end(); });
  is_fresh_ = true;
}

// Takes a sample of each contender in `slots`. Returns nothing if one failed, which is then lost, or if the sampling
// ended early.
std::optional<std::vector<double>> Compare::sample(const std::vector<Contender*>& slots) {
  std::vector<InstanceId> instances;
  for (const Contender* contender : slots) instances.push_back(contender->instance->id);
  constexpr int skips_comparing = 2;
  const bool may_end = rounds() > 0;
  SlotSamples samples =
      on_.bench().sample_in_turn(instances, may_end ? skips_comparing : std::numeric_limits<int>::max());
  if (const std::optional<SampleFailure>& failure = samples.failure) {
    const auto at = std::find_if(compared_.contenders.begin(), compared_.contenders.end(),
                                 [&](const Contender& one) { return one.instance->id == failure->instance; });
    drop(at, failure->status, failure->result);
    return std::nullopt;
  }
  if (samples.samples_ns.empty()) return std::nullopt;  // ended early
  return std::move(samples.samples_ns);
}

// Takes `rounds` rounds: one sample of each contender, in random order. The first sample after a load does not count.
// Returns false, without these rounds, if they ended early or if a contender failed, which is then lost.
bool Compare::measure_rounds(std::size_t rounds) {
  std::vector<Contender*> order = staying(compared_.contenders), slots;
  if (std::exchange(is_fresh_, false)) slots = order;
  const std::size_t uncounted = slots.size();
  for (std::size_t r = 0; r < rounds; ++r) {
    std::shuffle(order.begin(), order.end(), random_);
    slots.insert(slots.end(), order.begin(), order.end());
  }
  const std::size_t seen = on_.bench().watch().throttled_readings().size();
  const std::optional<std::vector<double>> samples_ns = sample(slots);
  if (!samples_ns) return false;
  compared_.seen.insert(compared_.seen.end(), rounds, {seen, on_.bench().watch().throttled_readings().size()});
  for (std::size_t k = uncounted; k < slots.size(); ++k) slots[k]->times_ns.push_back(std::max((*samples_ns)[k], 1.0));
  return true;
}

// Returns the contender after the lost one.
Compare::Contenders::iterator Compare::drop(Contenders::iterator one, const Status& status, const Result& result) {
  lose(one->trial, status, result);
  on_.bench().release(one->instance->id);
  return compared_.contenders.erase(one);
}

// Lets contenders that cannot win any more leave, with their times. With several objectives, or with energy, none
// leaves, because a slow one may still be best.
void Compare::let_beaten_leave() {
  const Objectives& objectives = on_.terms.request.objectives;
  if (objectives.size() > 1 || objectives.needs_energy()) return;
  const std::vector<Contender*> stayed = staying(compared_.contenders);
  if (stayed.empty()) return;  // all were lost when they were loaded again
  const std::vector<Finalist> finalists = finalists_of(stayed, on_.terms, on_.values, present_record_);
  for (const std::size_t column : beaten(finalists, values_of(stayed), protocol_)) stayed[column]->has_left = true;
}

// Checks each contender's result once more after all samples, and whether the result repeats. A contender that fails is
// lost.
void Compare::check_again() {
  for (auto one = compared_.contenders.begin(); one != compared_.contenders.end();) {
    Result result = on_.bench().run(CheckAgain{one->instance->id, true});
    const auto& checked = std::get<CheckAnswer>(result.answer);
    if (checked.status.ok()) {
      one->trial.numerics.include(checked.numerics);
      one->deterministic = checked.deterministic;
      note_broken_promise(*one);
      ++one;
    } else {
      one = drop(one, Status(checked.status), result);
    }
  }
}

// Tells the observer of a configuration that is declared deterministic but is not, since applications that ask for
// deterministic ones would use it.
void Compare::note_broken_promise(const Contender& contender) {
  if (contender.deterministic.value_or(true)) return;
  const std::string rule = on_.terms.subject.deterministic_by(contender.trial.configuration);
  if (rule.empty()) return;
  on_.observer.note(fmt::format("{} differs from run to run, where {} promises equal bits",
                                contender.trial.configuration.text(), rule));
}

// Meters the energy of all contenders. Returns false if interrupted; the metering is then incomplete and does not
// count.
bool Compare::meter() {
  if (!on_.terms.request.objectives.needs_energy()) return true;
  const std::size_t readings = on_.bench().watch().throttled_readings().size();
  on_.observer.energy_started(compared_.contenders.size(), protocol_.energy_warm_seconds + protocol_.energy_seconds);
  for (auto one = compared_.contenders.begin(); one != compared_.contenders.end();) {
    if (on_.stop.load() > 0) {
      for (Contender& contender : compared_.contenders) contender.energy.reset();
      return false;
    }
    one = meter_one(one);
  }
  const std::vector<bool>& throttled = on_.bench().watch().throttled_readings();
  compared_.metered_throttled =
      std::find(throttled.begin() + static_cast<std::ptrdiff_t>(readings), throttled.end(), true) != throttled.end();
  return true;
}

// Returns the next contender. This one may be lost.
Compare::Contenders::iterator Compare::meter_one(Contenders::iterator one) {
  Contender& contender = *one;
  const bool is_warm = on_.terms.request.regime == Regime::warm;
  TimingPlan plan{.regime = is_warm ? Regime::warm : Regime::stream};
  const double fitting = meter_batch_ns / std::max(contender.times_ns.front(), 1.0);
  if (!on_.terms.subject.restores_inputs())
    plan.batch = static_cast<int>(std::clamp<double>(fitting, 1, most_meter_batch));
  Result result =
      on_.bench().run(Meter{contender.instance->id, plan, protocol_.energy_warm_seconds, protocol_.energy_seconds});
  const auto& metered = std::get<MeterAnswer>(result.answer);
  if (!metered.status.ok()) return drop(one, Status(metered.status), result);
  if (!metered.energy)
    throw Error(on_.terms.device.name + "'s energy counter took too few steps in " +
                std::to_string(protocol_.energy_seconds) + " s to measure " + contender.instance->text +
                "; the trials are kept: with another --objective they are not measured again");
  contender.energy = metered.energy;
  return one + 1;
}

}  // namespace attune
