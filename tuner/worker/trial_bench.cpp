#include "worker/trial_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "attune/error.hpp"

namespace attune {
namespace {

// A cold batch rotates over data so many times as large as the L2 cache: what it comes back to is not there any more.
constexpr std::uint64_t kSetsOverCache = 2;

// What is slower than it may be by more than a launch alone can cost is not launched a thousand times to know it.
constexpr double kLaunchAloneNs = 20e3;

// Launches that are enqueued together where time is spent on them: the device does not wait in between.
constexpr double kTakeSeconds = 0.25;
constexpr double kMostSamplesInTake = 1000;

void append(Samples more, Samples& samples) {
  samples.nanoseconds.insert(samples.nanoseconds.end(), more.nanoseconds.begin(), more.nanoseconds.end());
  samples.status = std::move(more.status);
}

}  // namespace

TrialBench::TrialBench(Device& device, const TrialSetup& setup)
    : device_(device), name_(fmt::format("{} for {}", setup.kernel, setup.problem)), data_(device, setup) {
  data_.reset();
  if (setup.prepare) {
    run_once(*setup.prepare, "[[prepare]]");
    data_.adopt_prepared();
    data_.reset();
  }
  run_once(setup.reference,
           setup.self_checked ? "the default configuration (there is no [[reference]])" : "[[reference]]");
  data_.adopt_expected(setup.self_checked ? "the default configuration" : "the reference");
}

void TrialBench::run_once(const StepsSetup& steps, const std::string& what) {
  PreparedSteps prepared;
  Status status = PreparedSteps::prepare(device_, data_, steps, prepared);
  if (status.ok()) status = prepared.run(device_);
  if (status.ok()) status = data_.check_guards();
  if (!status.ok())
    throw Error(fmt::format("{} of {} fails ({}): {}", what, name_, to_text(status.verdict), status.detail));
}

Status TrialBench::load(CandidateId candidate, const StepsSetup& steps) {
  PreparedSteps made;
  if (Status status = PreparedSteps::prepare(device_, data_, steps, made); !status.ok()) return status;
  candidates_.insert_or_assign(candidate, std::move(made));
  return {};
}

PreparedSteps& TrialBench::prepared(CandidateId candidate) {
  const auto found = candidates_.find(candidate);
  if (found == candidates_.end()) throw Error(fmt::format("there is no candidate {} of {}", candidate, name_));
  return found->second;
}

Status TrialBench::check(CandidateId candidate, Numerics& numerics) {
  const PreparedSteps& steps = prepared(candidate);
  data_.reset();
  const Status status = launch_and_check(steps, numerics);
  if (!status.ok()) release(candidate);
  return status;
}

Status TrialBench::launch_and_check(const PreparedSteps& steps, Numerics& numerics) {
  Status status = steps.run(device_);
  if (status.sticky) return status;
  // Whatever else went wrong: the next configuration finds its inputs as they were.
  const Status inputs = data_.restore_inputs();
  if (status.ok()) status = inputs;
  if (status.ok()) status = data_.check(numerics);
  if (status.ok()) status = steps.check_scratch(data_);
  return status;
}

Sampling TrialBench::sampling_of(CandidateId candidate, const SamplePlan& plan, Sets& sets) {
  PreparedSteps& steps = prepared(candidate);
  Sampling sampling{.before = data_.restores(), .timed = {}, .regime = plan.regime, .count = 1, .batch = 1};
  if (data_.restores().empty()) sampling.batch = std::max(plan.batch, 1);
  sets = {steps.operations()};
  if (sampling.batch > 1 && plan.regime == Regime::cold) {
    data_.make_sets(kSetsOverCache * device_.info().l2_bytes, static_cast<std::uint64_t>(sampling.batch));
    sets = steps.operations_by_set(data_);
  }
  sampling.timed = sets;
  return sampling;
}

Samples TrialBench::sample(CandidateId candidate, const SamplePlan& plan) {
  Sets sets;
  Sampling sampling = sampling_of(candidate, plan, sets);
  Samples samples;
  if (sampling.batch > 1 && plan.stop_above_ns > 0) {
    Sampling alone = sampling;
    alone.batch = 1;
    samples = device_.take_samples(alone);
    const bool is_hopeless = samples.status.ok() && samples.nanoseconds.front() > plan.stop_above_ns + kLaunchAloneNs;
    if (!samples.status.ok() || is_hopeless) return samples;
    samples.nanoseconds.clear();
  }
  while (samples.status.ok()) {
    sampling.count = samples_wanted(samples.nanoseconds, plan);
    if (sampling.count <= 0) break;
    append(device_.take_samples(sampling), samples);
  }
  return samples;
}

Samples TrialBench::sample_in_turn(std::span<const CandidateId> candidates, const SamplePlan& plan) {
  std::map<CandidateId, std::pair<Sets, Sampling>> known;  // the same sampling of the same: its batch is recorded once
  std::vector<Sampling> turns;
  for (const CandidateId candidate : candidates) {
    const auto [at, is_new] = known.try_emplace(candidate);
    auto& [sets, sampling] = at->second;
    if (is_new) sampling = sampling_of(candidate, plan, sets);
    turns.push_back(sampling);
  }
  return device_.take_samples_in_turn(turns);
}

Samples TrialBench::sample_while(CandidateId candidate, const SamplePlan& plan, const std::function<bool()>& goes_on) {
  Sets sets;
  const Sampling sampling = sampling_of(candidate, plan, sets);
  Samples samples;
  do {
    append(device_.take_samples(sampling), samples);
  } while (samples.status.ok() && static_cast<int>(samples.nanoseconds.size()) < plan.count && goes_on());
  return samples;
}

Status TrialBench::recheck(CandidateId candidate, Numerics& numerics) {
  const PreparedSteps& steps = prepared(candidate);
  data_.reset();
  Status status = launch_and_check(steps, numerics);
  if (!status.ok()) status.detail = "right when launched first, wrong when launched again: " + status.detail;
  return status;
}

Status TrialBench::repeat(CandidateId candidate, std::optional<bool>& deterministic) {
  const PreparedSteps& steps = prepared(candidate);
  const auto launch = [&] {
    data_.reset();
    return steps.run(device_);
  };
  Status status = launch();
  if (status.ok()) status = data_.compare_with_next(launch, deterministic);
  const Status inputs = status.sticky ? Status{} : data_.restore_inputs();
  return status.ok() ? inputs : status;
}

void TrialBench::release(CandidateId candidate) { candidates_.erase(candidate); }

Status TrialBench::warm_up(CandidateId candidate, double milliseconds) {
  const PreparedSteps& steps = prepared(candidate);
  const double begin = device_.seconds();
  do {
    if (Status status = steps.run(device_); !status.ok()) return status;
    if (device_.has_own_clock()) break;  // nothing there gets warm
  } while (device_.seconds() - begin < milliseconds * 1e-3);
  return {};
}

// Not flushed: what is counted is the kernel's, and what restores its inputs.
Status TrialBench::launch_for(CandidateId candidate, const SamplePlan& plan, double seconds,
                              const std::function<void(const Launched&)>& tell) {
  Sets sets;
  Sampling sampling = sampling_of(candidate, plan, sets);
  sampling.regime = Regime::warm;
  const double begin = device_.seconds();
  Launched launched{begin, 0};
  tell(launched);
  do {
    const Samples samples = device_.take_samples(sampling);
    if (!samples.status.ok()) return samples.status;
    launched = {device_.seconds(), launched.launches + static_cast<double>(sampling.count) * sampling.batch};
    tell(launched);
    const double sample_seconds = samples.nanoseconds.back() * sampling.batch * 1e-9;
    if (!device_.has_own_clock())  // that one stands still between takes
      sampling.count = static_cast<int>(std::clamp(kTakeSeconds / sample_seconds, 1.0, kMostSamplesInTake));
  } while (launched.seconds - begin < seconds);
  return {};
}

}  // namespace attune
