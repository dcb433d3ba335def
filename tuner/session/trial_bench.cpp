#include "session/trial_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "attune/error.hpp"
#include "base/user_limits.hpp"
#include "device/image_key.hpp"
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

void take_samples(const std::vector<double>& samples_ns, double anchor_ns, int batch, Trial& trial) {
  const std::span<const double> counted = counted_samples(samples_ns);
  trial.measurement = summarise({counted.begin(), counted.end()});
  trial.anchor_ns = anchor_ns;
  trial.batch = batch;
}

// Returns how many samples make the anchor's median known well enough, given the scatter of a sample.
int anchor_samples(const Protocol& protocol, double relative_scatter) {
  return samples_for(relative_scatter, protocol.anchor_error, protocol.anchor_samples, protocol.anchor_samples_most);
}

}  // namespace

TrialBench::TrialBench(Pool& pool, LaneId lane, const SessionTerms& terms, Observer& observer,
                       const std::atomic<int>& stop)
    : Bench(
          pool, lane, terms.request.lock_folder, [&observer](const std::string& text) { observer.note(text); },
          observer, stop),
      terms_(terms),
      plan_{.count = 1, .regime = terms.request.regime} {}

// A device with a clock of its own, such as a recording, has no commits to wait for while it tries a short kernel.
std::size_t TrialBench::depth() const {
  const bool is_short = anchor_.median_ns < short_kernel_ns && !opened().own_clock;
  return is_short ? terms_.request.depth : std::min(terms_.request.depth, depth_of_longer);
}

void TrialBench::limit_anchor(double seconds, bool is_needed) {
  limit_within(seconds, is_needed ? setup_seconds + hanging_seconds() : least_seconds + hanging_by_user());
}

void TrialBench::limit_within(double seconds, double least) {
  limit_ = std::max(seconds, least);
  ends_at_ = this->seconds() - waited_seconds() + limit_;
}

void TrialBench::begin(const Configuration& expected, std::uint64_t seed, double seconds) {
  const bool is_expected = !terms_.subject.has_reference();
  limit_within(seconds, is_expected ? least_seconds : setup_seconds);
  const auto compile = [this](const ImageRequest& request) { return compile_within(request); };
  setup_ = terms_.subject.setup(expected, compile, seed);
  limit_within(seconds, setup_seconds + (is_expected ? hanging_seconds() : 0));
  const DeviceLock::Turn turn = take_turn();
  run_within(Begin{setup_}, "data and reference");
}

void TrialBench::begin_as(const TrialBench& other) {
  setup_ = other.setup_;
  limit_within(other.limit_, setup_seconds);
  run_within(Begin{setup_}, "data and reference");
}

// Compiles the reference, or the default configuration in its place.
CompileOutcome TrialBench::compile_within(const ImageRequest& request) {
  KeptImages* const kept = terms_.request.images.get();
  const std::string key = kept != nullptr ? image_key(request) : "";
  if (std::optional<CompileResult> found = kept != nullptr ? kept->find(key) : std::nullopt) return found->outcome;
  std::optional<Result> result =
      pool_.wait(pool_.submit(request), stop_, opened().own_clock ? Pool::forever : anchor_seconds_left());
  if (!result)
    give_up(terms_.subject.has_reference() ? "the reference" : "the default configuration", "was not compiled");
  Result compiled = noted(*std::move(result));
  CompileOutcome& outcome = std::get<CompileAnswer>(compiled.answer).outcomes.front();
  if (kept != nullptr && outcome.image) kept->keep(key, {outcome, compiled.deaths});
  return std::move(outcome);
}

// Throws BenchFailure for a job or a compile that did not end in its time, or before a stop.
void TrialBench::give_up(const std::string& what, const std::string& did) {
  const std::string& name = terms_.subject.name();
  if (stop_.load() > 0) throw BenchFailure(fmt::format("{} of {} {} before the interrupt", what, name, did));
  throw BenchFailure(out_of_time_explanation(name, what, did, limit_));
}

// Does a job while there is no anchor, whose time would give it a short deadline. A job that hangs ends with the limit
// of anchor_seconds_left().
Result TrialBench::run_within(DeviceJob job, const std::string& what) {
  if (!isolates()) return run(std::move(job));
  const double left = opened().own_clock ? Pool::forever : anchor_seconds_left();
  std::optional<Result> result = Bench::run_within(std::move(job), left, seconds_after_stop);
  if (!result) give_up(what, "did not end");
  return *std::move(result);
}

Ticket TrialBench::submit_try(const Instance& instance, const Image& image, int attempt, double incumbent_ns) {
  TimingPlan plan = screen_plan(incumbent_ns, anchor_.scatter_ns, terms_.protocol);
  plan.regime = plan_.regime;
  plan.batch = plan_.batch;
  return submit(Try{instance_launch(instance, image, attempt), plan});
}

Trial TrialBench::trial_of(const Instance& instance, const CompileOutcome& outcome, Result from) {
  const Result result = noted(std::move(from));
  Trial trial;
  trial.board = device().uuid;
  trial.compile_ms = outcome.milliseconds;
  describe(trial, instance, &*outcome.image, is_self_checked());
  const Status status = status_in(result);
  if (!status.ok()) return failed_trial(std::move(trial), status, result);
  add_result(trial, result);
  const std::vector<double>& samples_ns = std::get<TryAnswer>(result.answer).samples_ns;
  if (!samples_ns.empty()) take_samples(samples_ns, anchor_.median_ns, batch(), trial);
  return trial;
}

void TrialBench::set_anchor_time(const std::vector<double>& samples_ns) {
  anchor_.median_ns = median(samples_ns);
  anchor_.scatter_ns = relative_scatter(samples_ns) * anchor_.median_ns;
  if (anchor_.first_ns == 0) anchor_.first_ns = anchor_.median_ns;
  pool_.set_known_good(KnownGood{Try{*anchor_launch_, plan_}, anchor_.median_ns * 1e-9}, lane_);
}

// The warm-up comes between the check and the samples.
Trial TrialBench::try_as_anchor(const Instance& instance, const CompileOutcome& outcome, int attempt) {
  const Protocol& protocol = terms_.protocol;
  InstanceLaunch launch = instance_launch(instance, *outcome.image, attempt);
  const RunJob run = [this](DeviceJob job) { return run_within(std::move(job), "the default configuration"); };
  Trial trial =
      trial_of(instance, outcome,
               run(Load{launch, {protocol.warm_up_ms, protocol.warm_up_most_ms, protocol.settled_clock_ratio}}));
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
  if (const std::optional<Result> failed = find_batch(run, instance.id, opened(), protocol, plan_)) {
    goes_on(*failed);
    return trial;
  }
  std::vector<double> samples;
  int wanted = protocol.anchor_samples;
  while (static_cast<int>(samples.size()) < wanted) {
    const Result sampled = run(rounds_of(instance.id, wanted - static_cast<int>(samples.size()), plan_));
    if (!goes_on(sampled)) return trial;
    const std::vector<double>& taken = std::get<RoundsAnswer>(sampled.answer).samples_ns;
    samples.insert(samples.end(), taken.begin(), taken.end());
    wanted = anchor_samples(protocol, relative_scatter(samples));
  }
  if (!goes_on(run(CheckAgain{instance.id, false}))) return trial;
  launch.attempt = trial.attempts;
  anchor_launch_ = std::move(launch);
  trials_since_anchor_ = 0;
  set_anchor_time(samples);
  take_samples(samples, anchor_.median_ns, batch(), trial);
  return trial;
}

Ticket TrialBench::submit_anchor() {
  trials_since_anchor_ = 0;
  const int count = anchor_samples(terms_.protocol, anchor_.scatter_ns / anchor_.median_ns);
  return submit(rounds_of(anchor_launch_->instance, count, plan_));
}

// Keeps the earlier time if timing again fails.
void TrialBench::finish_anchor(Result from) {
  const Result result = noted(std::move(from));
  if (status_in(result).ok()) set_anchor_time(std::get<RoundsAnswer>(result.answer).samples_ns);
}

// A job takes job_seconds at most, or it is of one sample.
SlotSamples TrialBench::sample_in_turn(std::span<const InstanceId> slots, int ends_at) {
  const double one = anchor_.median_ns * 1e-9 * batch() + flush_seconds;
  const std::size_t in_job = one > 0 ? static_cast<std::size_t>(std::clamp(job_seconds / one, 1.0, 1e6)) : 1;
  std::vector<Rounds> jobs;
  add_jobs(slots, plan_, in_job, jobs);
  return Bench::sample_in_turn(jobs, ends_at);
}

}  // namespace attune
