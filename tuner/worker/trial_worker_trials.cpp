// What a TrialWorker is asked to do with configurations; what it says to its worker and hears is in trial_worker.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "worker/trial_worker.hpp"

namespace attune {
namespace {

// A worker that has lost so much of its memory to what it ran is replaced before it fails for want of it.
constexpr double kLeakedShare = 0.5;

constexpr double kMeterSlackSeconds = 1;  // the counter's last step, and the launches under way then

// Samples of several are enqueued together while they take no longer, by the anchor's time: a hang among them is
// noticed 50 times this later at most. Nobody knows whose it is, nor whose a fault is, until they are sampled one by
// one.
constexpr double kTogetherSeconds = 0.1;

constexpr int kLaunchesToRepeat = 3;  // one that is checked, two that are compared

}  // namespace

void TrialWorker::begin(const Configuration& configuration, const Image& image, int attempt, const Filling& beside) {
  if (begun_) forget();
  if (static_cast<double>(free_bytes_) < (1 - kLeakedShare) * static_cast<double>(free_at_begin_)) lost_ = true;
  if (lost_) be_ready();
  TrialLaunch launch = trial_launch(spec_, problem_, configuration, device_.info, image);
  launch.attempt = attempt;
  begun_ = {++last_, std::move(launch)};
  ask_load(begun_->id, begun_->launch);
  ask_filling(beside);
}

void TrialWorker::forget() {
  if (begun_ && !lost_) ask_release(begun_->id);
  begun_.reset();
  hear_all();
}

bool TrialWorker::is_asked(Asked::What what) const {
  return std::any_of(asked_.begin(), asked_.end(), [&](const Asked& asked) { return asked.what == what; });
}

// Everything is asked before the first answer is heard. When a worker is lost by what was asked before, or by what
// filled a gap, all is asked once more of a fresh one, in which no gap is filled. What is left unheard after a failure
// is heard aside.
TrialWorker::Tried TrialWorker::finish(const Begun& begun, const SamplePlan* plan, const Filling& after,
                                       std::function<void()> meanwhile) {
  for (;;) {
    if (lost_ || !is_asked(Asked::What::load)) {
      be_ready();
      ask_load(begun.id, begun.launch);
    }
    ask_check(begun.id);
    if (plan != nullptr) {
      ask_samples(begun.id, *plan);
      if (has_scratch_) ask_recheck(begun.id);
      ask_release(begun.id);
      ask_filling(after);
    }
    if (const auto once = std::exchange(meanwhile, {})) once();
    hear_aside_before(Asked::What::load);
    if (lost_) continue;
    Tried tried;
    if (tried.status = hear_outcome(tried.numerics); !tried.status.ok()) return tried;
    hear_aside_before(Asked::What::check);
    if (lost_) continue;
    if (tried.status = hear_outcome(tried.numerics); !tried.status.ok() || plan == nullptr) return tried;
    Samples samples = hear_samples();
    tried.samples_ns = std::move(samples.nanoseconds);
    if (tried.status = std::move(samples.status); !tried.status.ok() || !has_scratch_) return tried;
    tried.status = hear_outcome(tried.numerics);
    return tried;
  }
}

TrialWorker::Tried TrialWorker::finish_trial(const SamplePlan& plan, const Filling& after,
                                             std::function<void()> meanwhile) {
  const Begun begun = std::move(begun_.value());
  begun_.reset();
  return finish(begun, &plan, after, std::move(meanwhile));
}

TrialWorker::Checked TrialWorker::finish_check() {
  Begun begun = std::move(begun_.value());
  begun_.reset();
  Tried tried = finish(begun, nullptr, {}, {});
  Checked checked{std::move(tried.status), tried.numerics, {}};
  if (!checked.status.ok()) return checked;
  checked.candidate = begun.id;
  candidates_.emplace(begun.id, Candidate{std::move(begun.launch), true});
  return checked;
}

TrialWorker::Checked TrialWorker::check(const Configuration& configuration, const Image& image, int attempt) {
  begin(configuration, image, attempt);
  return finish_check();
}

Status TrialWorker::ensure_loaded(CandidateId id) {
  Candidate& candidate = candidates_.at(id);
  be_ready();
  if (candidate.is_loaded) return {};
  const Tried tried = finish({id, candidate.launch}, nullptr, {}, {});
  candidate.is_loaded = tried.status.ok();
  return tried.status;
}

Samples TrialWorker::sample(CandidateId id, const SamplePlan& plan) {
  if (Status status = ensure_loaded(id); !status.ok()) return {std::move(status), {}};
  ask_samples(id, plan);
  return hear_samples();
}

// Loading one into a fresh worker may take that worker along, and those before it.
TrialWorker::InTurn TrialWorker::ensure_all_loaded(std::span<const CandidateId> ids) {
  be_ready();
  const auto is_there = [this](CandidateId id) { return !lost_ && candidates_.at(id).is_loaded; };
  while (!std::all_of(ids.begin(), ids.end(), is_there)) {
    for (std::size_t i = 0; i < ids.size(); ++i)
      if (Status status = ensure_loaded(ids[i]); !status.ok()) return {std::move(status), {}, i};
  }
  return {};
}

// `seconds`: what they take by the anchor's time.
TrialWorker::InTurn TrialWorker::sample_together(std::span<const CandidateId> ids, const SamplePlan& plan,
                                                 double seconds) {
  ask(Asked::What::samples, SampleInTurn{{ids.begin(), ids.end()}, plan},
      launch_deadline() + deadlines_.factor * seconds, plan.batch);
  Samples samples = hear_samples();
  const std::size_t count = samples.nanoseconds.size();
  if (samples.status.ok() && count != ids.size())
    samples.status = {Verdict::unstable,
                      fmt::format("the device worker gave {} samples instead of {}", count, ids.size()), false};
  one_by_one_ = !samples.status.ok();
  if (one_by_one_) return {std::move(samples.status), {}, {}};
  return {{}, std::move(samples.nanoseconds), {}};
}

std::string TrialWorker::names_of(std::span<const CandidateId> ids) const {
  std::vector<std::string> names;
  for (const CandidateId id : ids) {
    const std::string& name = candidates_.at(id).launch.configuration;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return fmt::format("{}", fmt::join(names, "; "));
}

TrialWorker::InTurn TrialWorker::sample_in_turn(std::span<const CandidateId> ids, const SamplePlan& plan) {
  SamplePlan one = plan;
  one.count = 1;
  InTurn all = ensure_all_loaded(ids);
  if (!all.status.ok() || ids.empty()) return all;
  const double seconds = static_cast<double>(ids.size()) * one.batch * anchor_seconds_;
  if (!one_by_one_ && seconds > 0 && seconds <= kTogetherSeconds) return sample_together(ids, one, seconds);
  for (const CandidateId id : ids) ask_samples(id, one);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    Samples samples = hear_samples();
    if (!samples.status.ok()) return {std::move(samples.status), {}, i};
    all.nanoseconds.push_back(samples.nanoseconds.front());
  }
  return all;
}

Sample TrialWorker::sample(CandidateId id) {
  Samples samples = sample(id, SamplePlan{});
  return {std::move(samples.status), samples.nanoseconds.empty() ? 0 : samples.nanoseconds.front()};
}

TrialWorker::Rechecked TrialWorker::recheck(CandidateId id, bool repeats) {
  Rechecked rechecked;
  if (rechecked.status = ensure_loaded(id); !rechecked.status.ok()) return rechecked;
  ask(Asked::What::recheck, RecheckCandidate{id, repeats}, launch_deadline(kLaunchesToRepeat));
  rechecked.status = hear_outcome(rechecked.numerics, &rechecked.deterministic);
  return rechecked;
}

Status TrialWorker::warm_up(CandidateId id, const WarmUpPlan& plan) {
  if (Status status = ensure_loaded(id); !status.ok()) return status;
  ask(Asked::What::warm_up, WarmUpCandidate{id, plan},
      launch_deadline() + std::max(plan.milliseconds, plan.most_milliseconds) * 1e-3);
  Numerics none;
  return hear_outcome(none);
}

TrialWorker::Metering TrialWorker::meter(CandidateId id, const SamplePlan& plan, double warm_seconds, double seconds) {
  if (Status status = ensure_loaded(id); !status.ok()) return {std::move(status), {}};
  ask(Asked::What::meter, MeterCandidate{id, plan, warm_seconds, seconds},
      launch_deadline(2 * plan.batch) + warm_seconds + seconds + kMeterSlackSeconds);
  return hear_metering();
}

void TrialWorker::release(CandidateId id) {
  const auto found = candidates_.find(id);
  if (found == candidates_.end()) return;
  if (found->second.is_loaded && !lost_) ask_release(id);
  candidates_.erase(found);
}

}  // namespace attune
