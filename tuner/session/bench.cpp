#include "session/bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <utility>

#include "attune/error.hpp"
#include "base/user_limits.hpp"
#include "measure/screen.hpp"
#include "measure/statistics.hpp"
#include "session/explanations.hpp"
#include "session/failed_trial.hpp"
#include "worker/deadlines.hpp"

namespace attune {
namespace {

// How long the samples of one job take, estimated by the anchor's time. Whether to go on is decided between jobs. A
// hang among them is noticed after at most 50 times this.
constexpr double job_seconds = 0.02;

// The least that a sample takes beside its launches.
constexpr double flush_seconds = 1e-4;

// The default has at least this time, however little time the search has.
constexpr double least_seconds = 10;

// Data and reference have at least this time, or the search's if that is more, so that a busy machine does not end a
// session.
constexpr double setup_seconds = 120;

// Trials of kernels longer than this last longer than a commit.
constexpr double short_kernel_ns = 1e6;
constexpr unsigned depth_of_longer = 2;

// After an interrupt, a job is waited for this long.
constexpr double seconds_after_stop = 1;

// A launch that hangs is found by the worker's own deadline. It is found twice, in jobs of up to two launches.
constexpr double launches_that_hang = 4;
double hanging_seconds() { return launches_that_hang * launch_limit_seconds().value_or(Deadlines::first_seconds); }
double hanging_by_user() { return launches_that_hang * launch_limit_seconds().value_or(0); }

Status status_in(const Result& result) {
  if (const auto* failure = std::get_if<Failure>(&result.answer)) throw_failure(*failure);
  const Status* const status = status_of(result.answer);
  return status == nullptr ? Status{} : *status;
}

void take_samples(const std::vector<double>& samples_ns, double anchor_ns, int batch, Trial& trial) {
  const std::span<const double> counted = counted_samples(samples_ns);
  trial.measurement = summarise({counted.begin(), counted.end()});
  trial.anchor_ns = anchor_ns;
  trial.batch = batch;
}

}  // namespace

Bench::Bench(Pool& pool, const SessionTerms& terms, Observer& observer, const std::atomic<int>& stop)
    : pool_(pool),
      terms_(terms),
      observer_(observer),
      stop_(stop),
      lock_(terms.opened.own_clock ? std::filesystem::path() : terms.request.lock_folder, lock_name(terms.device),
            [&observer](const std::string& text) { observer.note(text); }),
      turn_(lock_, stop),
      watch_(observer, !terms.request.lock_folder.empty()) {}

// A device with a clock of its own, such as a recording, has no commits to wait for while it tries a short kernel.
std::size_t Bench::depth() const {
  const bool is_short = anchor_ns() < short_kernel_ns && !terms_.opened.own_clock;
  return is_short ? terms_.request.depth : std::min(terms_.request.depth, depth_of_longer);
}

void Bench::limit_anchor(double seconds, bool is_needed) {
  limit_within(seconds, is_needed ? setup_seconds + hanging_seconds() : least_seconds + hanging_by_user());
}

void Bench::limit_within(double seconds, double least) {
  limit_ = std::max(seconds, least);
  ends_at_ = this->seconds() - lock_.waited_seconds() + limit_;
}

void Bench::begin(const Configuration& expected, std::uint64_t seed, double seconds) {
  const bool is_expected = !terms_.subject.has_reference();
  limit_within(seconds, is_expected ? least_seconds : setup_seconds);
  const auto compile = [this](const ImageRequest& request) { return compile_within(request); };
  setup_ = terms_.subject.setup(expected, compile, seed);
  limit_within(seconds, setup_seconds + (is_expected ? hanging_seconds() : 0));
  const DeviceLock::Turn turn(lock_, stop_);
  run_within(Begin{setup_}, "data and reference");
}

// Compiles the reference, or the default configuration in its place.
CompileOutcome Bench::compile_within(const ImageRequest& request) {
  std::optional<Result> result =
      pool_.wait(pool_.submit(request), stop_, terms_.opened.own_clock ? Pool::forever : anchor_seconds_left());
  if (!result)
    give_up(!terms_.subject.has_reference() ? "the default configuration" : "the reference", "was not compiled");
  note(*result);
  return std::move(std::get<ImagesCompiled>(result->answer).outcomes.front());
}

// Throws BenchUnfinished for a job or a compile that did not end in its time, or before a stop.
void Bench::give_up(const std::string& what, const std::string& did) {
  const std::string& name = terms_.subject.name();
  if (stop_.load() > 0) throw BenchUnfinished(fmt::format("{} of {} {} before the interrupt", what, name, did));
  throw BenchUnfinished(out_of_time_explanation(name, what, did, limit_));
}

Result Bench::run(DeviceJob job) {
  Result result = pool_.run(std::move(job));
  note(result);
  if (const auto* failure = std::get_if<Failure>(&result.answer)) throw_failure(*failure);
  return result;
}

// Does a job while there is no anchor, whose time would give it a short deadline. A job that hangs ends with the limit
// of anchor_seconds_left().
Result Bench::run_within(DeviceJob job, const std::string& what) {
  if (!pool_.isolates()) return run(std::move(job));
  const Ticket ticket = pool_.submit(std::move(job));
  std::optional<Result> result =
      pool_.wait(ticket, stop_, terms_.opened.own_clock ? Pool::forever : anchor_seconds_left());
  if (!result && stop_.load() > 0) result = pool_.wait(ticket, Pool::never, seconds_after_stop);
  if (!result) {
    pool_.abandon_device_jobs();
    give_up(what, "did not end");
  }
  note(*result);
  if (const auto* failure = std::get_if<Failure>(&result->answer)) throw_failure(*failure);
  return std::move(*result);
}

void Bench::note(Result& result) {
  for (const std::string& text : std::exchange(result.notes, {})) observer_.note(text);
  lost_seconds_ += result.lost_seconds;
  watch_.see(result.watched);
}

TimingPlan Bench::timed(TimingPlan plan) const {
  plan.regime = terms_.request.regime;
  plan.batch = batch_;
  return plan;
}

Ticket Bench::submit_try(const Instance& instance, const Image& image, int attempt, double incumbent_ns) {
  return pool_.submit(
      Try{instance_launch(instance, image, attempt), timed(screen_plan(incumbent_ns, scatter_ns(), terms_.protocol))});
}

Trial Bench::trial_of(const Instance& instance, const CompileOutcome& outcome, Result result) {
  note(result);
  Trial trial;
  trial.compile_ms = outcome.milliseconds;
  describe(trial, instance, &*outcome.image, is_self_checked());
  const Status status = status_in(result);
  if (!status.ok()) return failed_trial(std::move(trial), status, result);
  add_result(trial, result);
  const std::vector<double>& samples_ns = std::get<Tried>(result.answer).samples_ns;
  if (!samples_ns.empty()) take_samples(samples_ns, anchor_ns(), batch_, trial);
  return trial;
}

Result Bench::load(const Instance& instance, const Image& image, int attempt) {
  return run(Load{instance_launch(instance, image, attempt), {}});
}

Rounds Bench::rounds_of(InstanceId instance, int count) const {
  return {std::vector<InstanceId>(static_cast<std::size_t>(count), instance), timed({.count = 1})};
}

void Bench::set_anchor(const InstanceLaunch& launch, const std::vector<double>& samples_ns) {
  const double median_ns = median(samples_ns);
  anchor_ = Anchor{launch, median_ns, relative_scatter(samples_ns) * median_ns};
  if (first_anchor_ns_ == 0) first_anchor_ns_ = median_ns;
  pool_.set_known_good(KnownGood{Try{launch, timed({.count = 1})}, median_ns * 1e-9});
}

// Returns how many samples make the anchor's median known well enough, given the scatter of a sample.
int Bench::anchor_samples(double relative_scatter) const {
  const Protocol& protocol = terms_.protocol;
  return samples_for(relative_scatter, protocol.anchor_error, protocol.anchor_samples, protocol.anchor_samples_most);
}

// The warm-up comes between the check and the samples. In a stream, two measurements find the batch, because the first
// one, with batches of one launch, is mostly the cost of a launch.
Trial Bench::try_as_anchor(const Instance& instance, const CompileOutcome& outcome, int attempt) {
  const Protocol& protocol = terms_.protocol;
  InstanceLaunch launch = instance_launch(instance, *outcome.image, attempt);
  const auto run = [this](DeviceJob job) { return run_within(std::move(job), "the default configuration"); };
  Result result = run(Load{launch, {protocol.warm_up_ms, protocol.warm_up_most_ms, protocol.settled_clock_ratio}});
  Trial trial = trial_of(instance, outcome, result);
  if (trial.verdict != Verdict::ok) return trial;
  const auto goes_on = [&](const Result& next) {
    const Status status = status_in(next);
    if (status.ok())
      add_result(trial, next);
    else
      trial = failed_trial(std::move(trial), status, next);
    if (!status.ok() && !status.sticky) release(instance.id);
    return status.ok();
  };
  std::vector<double> samples;
  const auto sample = [&](int count) {
    const Result sampled = run(rounds_of(instance.id, count));
    if (!goes_on(sampled)) return false;
    const std::vector<double>& taken = std::get<RoundsSampled>(sampled.answer).samples_ns;
    samples.insert(samples.end(), taken.begin(), taken.end());
    return true;
  };
  batch_ = 1;
  for (int i = 0; i < 2 && terms_.request.regime == Regime::stream && !terms_.opened.own_clock; ++i) {
    if (!sample(protocol.anchor_samples)) return trial;
    batch_ = batch_for(median(std::exchange(samples, {})), protocol);
  }
  int wanted = protocol.anchor_samples;
  while (static_cast<int>(samples.size()) < wanted) {
    if (!sample(wanted - static_cast<int>(samples.size()))) return trial;
    wanted = anchor_samples(relative_scatter(samples));
  }
  if (!goes_on(run(CheckAgain{instance.id, false}))) return trial;
  launch.attempt = trial.attempts;
  trials_since_anchor_ = 0;
  set_anchor(launch, samples);
  take_samples(samples, anchor_ns(), batch_, trial);
  return trial;
}

Ticket Bench::submit_anchor() {
  trials_since_anchor_ = 0;
  return pool_.submit(rounds_of(anchor_->launch.instance, anchor_samples(scatter_ns() / anchor_ns())));
}

// Keeps the earlier time if timing again fails.
void Bench::finish_anchor(Result result) {
  note(result);
  const Status status = status_in(result);
  if (status.ok()) set_anchor(InstanceLaunch(anchor_->launch), std::get<RoundsSampled>(result.answer).samples_ns);
}

// Takes the samples in jobs of job_seconds at most, or of one sample. Two jobs are under way, so that the device never
// waits.
SlotSamples Bench::sample_in_turn(std::span<const InstanceId> slots, int ends_at) {
  const double one = anchor_ns() * 1e-9 * batch_ + flush_seconds;
  const std::size_t in_job = one > 0 ? static_cast<std::size_t>(std::clamp(job_seconds / one, 1.0, 1e6)) : 1;
  SlotSamples sampled;
  std::deque<Ticket> under_way;
  std::size_t submitted = 0;
  const auto goes_on = [&] { return sampled.status.ok() && submitted < slots.size() && stop_.load() < ends_at; };
  for (;;) {
    for (; under_way.size() < 2 && goes_on(); submitted += in_job) {
      const std::span<const InstanceId> part = slots.subspan(submitted, std::min(in_job, slots.size() - submitted));
      under_way.push_back(pool_.submit(Rounds{{part.begin(), part.end()}, timed({.count = 1})}));
    }
    if (under_way.empty()) break;
    Result result = pool_.wait(under_way.front());
    under_way.pop_front();
    note(result);
    if (!sampled.status.ok()) continue;
    sampled.status = status_in(result);
    if (sampled.status.ok()) {
      const std::vector<double>& samples = std::get<RoundsSampled>(result.answer).samples_ns;
      sampled.samples_ns.insert(sampled.samples_ns.end(), samples.begin(), samples.end());
    } else {
      const InstanceId failed = result.failed.value_or(slots.front());
      sampled.failed = static_cast<std::size_t>(std::find(slots.begin(), slots.end(), failed) - slots.begin());
      sampled.result = std::move(result);
    }
  }
  if (sampled.samples_ns.size() < slots.size()) sampled.samples_ns.clear();
  return sampled;
}

}  // namespace attune
