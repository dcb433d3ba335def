// The decision between finalists, the record that is made of it, and why there is none.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "attune/error.hpp"
#include "attune/version.hpp"
#include "core/unix_ms.hpp"
#include "measure/statistics.hpp"
#include "session/session_run.hpp"

namespace attune {
namespace {

// Of those who left early: of the rounds that count, those it was in; all it was in when none of them counts.
std::vector<double> used_of(const std::vector<double>& of_rounds, const std::vector<std::size_t>& used) {
  std::vector<double> some;
  for (const std::size_t r : used)
    if (r < of_rounds.size()) some.push_back(of_rounds[r]);
  return some.empty() ? of_rounds : some;
}

}  // namespace

// What two meterings cannot tell apart is a tie.
FinalDecision SessionRun::decide_between(const Final& final, Protocol protocol) {
  const auto energy_of = [&](std::size_t i) -> std::optional<double> {
    if (final.energy.empty() || !final.energy[i]) return std::nullopt;
    return final.energy[i]->joules;
  };
  FinalRounds rounds{final.rounds, final.rounds, throttled_rounds(final.heard, throttled_readings_)};
  for (const Final::Beaten& one : final.beaten) rounds.left_ns.push_back(one.times_ns);
  for (std::vector<double>& round : rounds.values)
    for (std::size_t i = 0; i < round.size(); ++i) round[i] = value_of(final.trials[i], 0, round[i], energy_of(i));
  if (request_.objectives.needs_energy(0))
    for (std::size_t i = 0; i < final.trials.size(); ++i)
      protocol.tie_ratio = protocol.lean_tie_ratio = std::max(protocol.tie_ratio, 2 * energy_share(final, i));

  FinalDecision decision = decide(finalists_of(final.trials), rounds, protocol);
  if (request_.objectives.needs_energy(0)) widen_by_energy(final, decision);
  decision.unstable = decision.unstable || final.metered_throttled;
  keep_results(final, rounds, decision);
  return decision;
}

// What the error of a metering makes of the first objective's value, as a share of it.
double SessionRun::energy_share(const Final& final, std::size_t i) const {
  const LaunchEnergy& energy = *final.energy[i];
  const double time_ns = final.rounds.front()[i];
  const double value = value_of(final.trials[i], 0, time_ns, energy.joules);
  return std::abs(value_of(final.trials[i], 0, time_ns, energy.joules * (1 + energy.error)) / value - 1);
}

// Rounds repeat times, not meterings: what those may be off by is added to the interval of their ratio.
void SessionRun::widen_by_energy(const Final& final, FinalDecision& decision) const {
  if (final.trials[decision.winner].configuration == *default_) return;
  double off = 1 + energy_share(final, decision.winner);
  for (std::size_t i = 0; i < final.trials.size(); ++i)
    if (final.trials[i].configuration == *default_) off *= 1 + energy_share(final, i);
  decision.speedup_interval.low /= off;
  decision.speedup_interval.high *= off;
}

FinalistResult SessionRun::result_of(const Trial& trial, std::vector<double> times_ns,
                                     const std::vector<double>& values) const {
  FinalistResult result;
  result.configuration = trial.configuration;
  result.measurement = summarise(std::move(times_ns));
  result.objective_values.push_back(median(values));
  result.numerics = trial.numerics;
  result.registers = trial.usage.registers;
  result.shared_bytes = shared_bytes_of(trial);
  return result;
}

// By the first objective, best first.
void SessionRun::keep_results(const Final& final, const FinalRounds& rounds, const FinalDecision& decision) {
  results_.clear();
  std::vector<std::vector<double>> objectives;
  // After an interrupt nothing was metered: only what decided is known.
  const bool is_complete = !request_.objectives.needs_energy() || !final.energy.empty();
  for (std::size_t i = 0; i < final.trials.size(); ++i) {
    const Trial& trial = final.trials[i];
    FinalistResult& result = results_.emplace_back(
        result_of(trial, column(rounds.times_ns, i, decision.used), column(rounds.values, i, decision.used)));
    if (!final.energy.empty() && final.energy[i]) {
      result.energy_j = final.energy[i]->joules;
      result.energy_error = final.energy[i]->error;
    }
    for (std::size_t o = 1; o < request_.objectives.size() && is_complete; ++o)
      result.objective_values.push_back(value_of(trial, o, result.measurement.median_ns, result.energy_j));
    result.deterministic = final.deterministic[i];
    objectives.push_back(result.objective_values);
  }
  const std::vector<bool> front = pareto_front(objectives);
  for (std::size_t i = 0; i < results_.size(); ++i) results_[i].pareto = front[i] && is_complete;
  for (const Final::Beaten& one : final.beaten) {
    const std::vector<double> times_ns = used_of(one.times_ns, decision.used);
    std::vector<double> values = times_ns;
    for (double& value : values) value = value_of(one.trial, 0, value);
    results_.push_back(result_of(one.trial, times_ns, values));
    results_.back().deterministic = one.deterministic;
  }
  std::stable_sort(results_.begin(), results_.end(), [](const FinalistResult& a, const FinalistResult& b) {
    return a.objective_values.front() < b.objective_values.front();
  });
}

Record SessionRun::make_record(const FinalDecision& decision, const Trial& winner) const {
  Record record;
  record.uuid = make_uuid();
  record.key = key_.record;
  record.device_name = device_.name;
  record.compute_capability = device_.compute_capability;
  record.multiprocessors = device_.multiprocessors;
  record.configuration = winner.configuration;
  record.median_ns = decision.median_ns;
  record.default_ns = decision.default_ns;
  record.speedup = decision.speedup;
  record.speedup_low = decision.speedup_interval.low;
  record.speedup_high = decision.speedup_interval.high;
  record.effort = request_.effort;
  record.unstable = decision.unstable;
  record.self_checked = worker_->self_checked();
  record.space = key_.space;
  record.toolchain = compiler_->toolchain();
  record.driver = device_.driver;
  record.device_uuid = device_.uuid;
  record.attune_version = kVersion;
  record.protocol = Protocol::version;
  record.seed = row_.seed;
  record.trials = static_cast<std::int64_t>(trials_.size());
  record.made_ms = unix_ms();
  record.batch = batch_;
  record.rounds = static_cast<std::int64_t>(decision.used.size());
  record.rounds_dropped = static_cast<std::int64_t>(decision.rounds_dropped);
  record.sm_clock_mhz = clocks_mhz_.empty() ? 0 : median(clocks_mhz_);
  record.anchor_ratio = first_anchor_ns_ > 0 ? decision.default_ns / first_anchor_ns_ : 0;
  record.busy = !users_.empty();
  record.value = decision.value;
  record.default_value = decision.default_value;
  const auto is_winner = [&](const FinalistResult& result) { return result.configuration == winner.configuration; };
  const Measurement& measured = std::find_if(results_.begin(), results_.end(), is_winner)->measurement;
  record.min_ns = measured.min_ns;
  record.q1_ns = measured.q1_ns;
  record.q3_ns = measured.q3_ns;
  return record;
}

void SessionRun::keep_record(Record record, bool measured_against_present) {
  // Whoever won did so against the present record, in the same rounds; what that one's search had covered of this very
  // space stays covered.
  const bool same_space = measured_against_present && present_->space == record.space;
  if (same_space && present_->effort > record.effort) {
    record.effort = present_->effort;
    record.partial = present_->partial;
  } else if (same_space && present_->effort == record.effort) {
    record.partial = record.partial && present_->partial;
  }
  // One that was made on a quiet device and has won again keeps what was measured then.
  const bool confirmed = measured_against_present && record.configuration == present_->configuration;
  if (confirmed && (record.busy || record.unstable) && !present_->busy && !present_->unstable) {
    Record clean = *present_;
    clean.effort = record.effort;
    clean.partial = record.partial;
    clean.space = record.space;
    record = std::move(clean);
    results_ = store_.finalists(present_->uuid);
  }
  store_.put_record(record, measured_against_present ? std::string_view(present_->uuid) : std::string_view(), results_);
  const auto kept = images_kept_.find(record.configuration.text());
  if (images_ == nullptr || kept == images_kept_.end()) return;
  const ImageRequest request =
      image_request(request_.spec, request_.spec.launch, request_.problem, &record.configuration, device_);
  images_->put(request.key(), kept->second);
}

std::string SessionRun::stopped_explanation() const {
  return "\nstopped early: nearly all of the first configurations fail alike. When the kernel is right, a rule in "
         "[restrictions] is missing that says which configurations cannot work (attune check shows one, attune space "
         "--audit what rules remove); --keep-going searches on in spite of it";
}

std::string SessionRun::failures_explanation() const {
  std::map<Verdict, std::pair<int, const Trial*>> counts;
  for (const auto& [text, trial] : trials_) {
    if (trial.verdict == Verdict::ok) continue;
    auto& [count, example] = counts[trial.verdict];
    if (count++ == 0) example = &trial;
  }
  std::string text = (survivors_ == 0 ? "none" : std::to_string(survivors_)) + " of the " +
                     std::to_string(trials_.size()) + " configurations tried survived";
  for (const auto& [verdict, entry] : counts)
    text += ", " + std::to_string(entry.first) + " " + std::string(to_text(verdict));
  if (counts.empty()) return text;
  const auto most = std::max_element(counts.begin(), counts.end(),
                                     [](const auto& a, const auto& b) { return a.second.first < b.second.first; });
  const Trial& example = *most->second.second;
  text += "\nfor instance " + example.configuration.text() + ":\n" + example.detail;
  if (most->first == Verdict::wrong_result && most->second.first == static_cast<int>(trials_.size()))
    text += "\nall disagree with the reference: look at [[reference]] and at the tolerances in [check] first";
  return text;
}

}  // namespace attune
