// One configuration on the device: attempt, check, samples; and whose fault it is when a worker dies of it.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "attune/error.hpp"
#include "measure/screen.hpp"
#include "measure/statistics.hpp"
#include "session/session_run.hpp"

namespace attune {
namespace {

// A death may be bad luck; a second one is not.
constexpr int kDeathsToQuarantine = 2;

// Between two trials the coordinator commits, and the worker samples the anchor until it is done; so many times at
// most: fifteen are all that its time is the median of, and a commit is over by then, but for a stall. One that takes a
// larger part of a commit than this could hold up what comes next: it is sampled as often as fits.
constexpr int kMostFilling = 16;
constexpr int kMostFillingShortly = 8;
constexpr double kShortBesideCommit = 0.5;
constexpr std::size_t kAnchorWindow = 15;  // such samples that its time is the median of
constexpr double kSmoothing = 0.1;         // weight of the last commit in what one takes

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

}  // namespace

std::optional<Trial> SessionRun::known_to_kill(const Configuration& configuration) const {
  const auto found = killers_.find(configuration.text());
  if (found == killers_.end()) return std::nullopt;
  Trial trial;
  trial.configuration = configuration;
  trial.verdict = Verdict::quarantined;
  trial.detail = found->second + "; --lift-quarantine gives it another chance";
  return trial;
}

// The attempt stands in the database before anything is launched, so that what takes everything along is known. Its
// number; nothing when whoever was told of the trial before wants no other.
std::optional<int> SessionRun::begin_attempt(const Configuration& configuration) {
  const bool tells = !uncommitted_.empty();
  const auto begin = Clock::now();
  const int begun = store_.begin_attempt(row_.id, configuration, uncommitted_).begun;
  commit_wait_seconds_ += kSmoothing * (seconds_since(begin) - commit_wait_seconds_);
  tell_observer();
  if (!tells || stop_.load() == 0) return begun;
  store_.withdraw_attempt(row_.id, configuration);
  return std::nullopt;
}

// Nothing when it was not launched.
std::optional<Trial> SessionRun::try_configuration(const Configuration& configuration, const CompileOutcome& outcome) {
  Trial trial;
  trial.configuration = configuration;
  trial.compile_ms = outcome.milliseconds;
  trial.self_checked = worker_->self_checked();
  trial.verdict = outcome.verdict;
  if (!outcome.image) {
    trial.detail = outcome.log;
    const bool killed = outcome.verdict == Verdict::compile_crash || outcome.verdict == Verdict::compile_timeout;
    if (killed) store_.quarantine(row_.id, trial);
    return trial;
  }
  trial.usage = outcome.image->largest_usage();
  // On a continued session the default is launched for the anchor alone: it has its verdict, which ends attempts.
  const bool has_verdict = trials_.contains(configuration.text());
  const auto begun_before = begun_.find(configuration.text());
  trial.attempts = begun_before == begun_.end() ? 0 : begun_before->second;
  // A worker process times the anchor and loads this while the attempt becomes durable.
  const bool is_apart = workers_.device().isolates();
  const auto begin = [&] { worker_->begin(configuration, *outcome.image, trial.attempts, anchor_filling()); };
  do {
    ++trial.attempts;
    if (is_apart) begin();
    if (!has_verdict) {
      const std::optional<int> begun = begin_attempt(configuration);
      if (!begun) {
        worker_->forget();
        return std::nullopt;
      }
      trial.attempts = *begun;
    }
    if (!is_apart) begin();
  } while (!try_once(configuration, trial) && !die(trial));
  if (trial.verdict == Verdict::ok) images_kept_.insert_or_assign(configuration.text(), *outcome.image);
  return trial;
}

// Finishes what the worker has begun, and gives the trial its verdict. False when the worker died of it, or its device
// is beyond use.
bool SessionRun::try_once(const Configuration& configuration, Trial& trial) {
  const bool becomes_anchor = !anchor_ && configuration == *default_;
  const Status status = becomes_anchor ? try_as_anchor(trial) : try_beside_anchor(trial);
  trial.verdict = status.verdict;
  trial.detail = status.detail;
  return !status.sticky;
}

Status SessionRun::try_beside_anchor(Trial& trial) {
  const TrialWorker::Tried tried =
      worker_->finish_trial(timed(screen_plan(incumbent_ns(), protocol_)), anchor_filling_shortly(), [this] {
        if (!thinks_in_trials_ || std::exchange(thought_, true)) return;
        try {
          think();
        } catch (...) {  // which is not this trial's fault: handle() throws it, once the trial has its verdict
          failed_thought_ = std::current_exception();
        }
      });
  hear_anchor();
  trial.numerics = tried.numerics;
  if (tried.status.ok()) take_samples(tried.samples_ns, trial);
  return tried.status;
}

// Warm-up comes between its check and its samples; and it stays loaded.
Status SessionRun::try_as_anchor(Trial& trial) {
  const TrialWorker::Checked checked = worker_->finish_check();
  trial.numerics = checked.numerics;
  if (!checked.candidate) return checked.status;
  Status status = worker_->warm_up(*checked.candidate,
                                   {protocol_.warm_up_ms, protocol_.warm_up_most_ms, protocol_.settled_clock_ratio});
  if (status.ok()) {
    anchor_ = *checked.candidate;
    status = choose_batch();
  }
  if (status.ok()) status = time_anchor();
  if (status.ok()) status = sample_anchor(trial);
  if (status.ok()) return status;
  anchor_.reset();
  anchor_ns_ = 0;
  worker_->release(*checked.candidate);
  return status;
}

// What is short is timed in batches, all of it: found out twice, since the first time is mostly that of a launch.
Status SessionRun::choose_batch() {
  batch_ = 1;
  const auto earlier = std::find_if(trials_.begin(), trials_.end(),
                                    [](const auto& entry) { return entry.second.verdict == Verdict::ok; });
  if (earlier != trials_.end()) {  // of a session that goes on
    batch_ = earlier->second.batch;
    return {};
  }
  const bool may = worker_->can_batch() && !opened_.own_clock;
  for (int i = 0; i < 2 && may; ++i) {
    const Samples samples = worker_->sample(*anchor_, timed({.count = protocol_.anchor_samples}));
    if (!samples.status.ok()) return samples.status;
    batch_ = batch_for(median(samples.nanoseconds), protocol_);
    if (batch_ == 1) break;
  }
  return {};
}

SamplePlan SessionRun::timed(SamplePlan plan) const {
  plan.regime = request_.regime;
  plan.batch = batch_;
  return plan;
}

Status SessionRun::sample_anchor(Trial& trial) {
  const Samples samples = worker_->sample(*anchor_, timed(screen_plan(incumbent_ns(), protocol_)));
  if (!samples.status.ok()) return samples.status;
  const TrialWorker::Rechecked again = worker_->recheck(*anchor_);
  trial.numerics.include(again.numerics);
  if (again.status.ok()) take_samples(samples.nanoseconds, trial);
  return again.status;
}

void SessionRun::take_samples(const std::vector<double>& samples_ns, Trial& trial) const {
  const std::span<const double> counted = counted_samples(samples_ns);
  trial.measurement = summarise({counted.begin(), counted.end()});
  trial.anchor_ns = anchor_ns_;
  trial.batch = batch_;
}

// Beside the samples the device is watched. Other tuners that take turns with this one do not disturb it.
void SessionRun::note_watched() {
  const Watched watched = worker_->take_watched();
  for (const std::string& user : watched.users) note_user(user);
  for (const DeviceState& state : watched.states) {
    const bool is_throttled = hardware_throttled(state);
    if (is_throttled &&
        std::find(throttled_readings_.begin(), throttled_readings_.end(), true) == throttled_readings_.end())
      observer_.note("the device holds itself back: " + throttle_text(*state.throttle));
    throttled_readings_.push_back(is_throttled);
    if (state.sm_clock_mhz && std::isfinite(*state.sm_clock_mhz)) clocks_mhz_.push_back(*state.sm_clock_mhz);
  }
}

void SessionRun::note_user(const std::string& user) {
  const bool waits = !request_.lock_folder.empty() && takes_turns(user);
  if (!waits && users_.insert(user).second) observer_.note("another process uses the device: " + user);
}

// The anchor was timed before: when a worker dies of it, another configuration or the device is to blame, and a fresh
// worker shows whether things go on. While it was not, the death is its own, and the status tells it.
Status SessionRun::time_anchor() {
  trials_since_anchor_ = 0;
  const auto begin = Clock::now();
  const Samples samples = worker_->sample(*anchor_, timed({.count = protocol_.anchor_samples}));
  anchor_wait_seconds_ = seconds_since(begin) / protocol_.anchor_samples;
  if (samples.status.sticky && anchor_ns_ == 0) return samples.status;
  if (samples.status.sticky) check_environment(default_->text(), samples.status.detail);
  if (samples.nanoseconds.empty()) return {};
  anchor_beside_.clear();
  anchor_ns_ = median(samples.nanoseconds);
  if (first_anchor_ns_ == 0) first_anchor_ns_ = anchor_ns_;
  worker_->expect_launch(anchor_ns_);
  return {};
}

// What a worker of another process does while the coordinator makes an attempt durable. A clock of the device's own
// would run on.
TrialWorker::Filling SessionRun::anchor_filling() const {
  if (!anchor_ || anchor_wait_seconds_ <= 0 || opened_.own_clock || !workers_.device().isolates()) return {};
  if (anchor_wait_seconds_ <= kShortBesideCommit * commit_wait_seconds_)
    return {*anchor_, timed({.count = kMostFilling})};
  return {*anchor_, timed({.count = static_cast<int>(commit_wait_seconds_ / anchor_wait_seconds_)})};
}

// And while it takes the answers of one trial and makes up the next, which is over sooner.
TrialWorker::Filling SessionRun::anchor_filling_shortly() const {
  TrialWorker::Filling filling = anchor_filling();
  if (filling.plan.count != kMostFilling || lock_.somebody_waits()) return {};
  filling.plan.count = kMostFillingShortly;
  return filling;
}

// Samples that filled gaps keep the anchor's time up to date, so that it need not be timed for itself.
void SessionRun::hear_anchor() {
  const std::vector<double> samples = worker_->take_filling_samples();
  anchor_beside_.insert(anchor_beside_.end(), samples.begin(), samples.end());
  if (samples.empty() || anchor_beside_.size() < kAnchorWindow) return;
  anchor_beside_.erase(anchor_beside_.begin(), anchor_beside_.end() - kAnchorWindow);
  anchor_ns_ = median(anchor_beside_);
  worker_->expect_launch(anchor_ns_);
  trials_since_anchor_ = 0;
}

// After a death: does a fresh worker still do what it did before? It has run the reference when it is there; then the
// anchor. One failure may be an echo of the death; two, and nothing that is measured here means anything.
void SessionRun::check_environment(const std::string& after, const std::string& detail) {
  std::string why;
  for (int attempt = 1; attempt <= 2; ++attempt) {
    try {
      worker_->revive();
      if (!anchor_) return;
      const Sample sample = worker_->sample(*anchor_);
      if (sample.status.ok()) return;
      why = sample.status.detail;
    } catch (const DeviceLost&) {
      throw;
    } catch (const Error& error) {
      why = error.what();
    }
  }
  throw Error("the device or its driver is at fault, and no configuration is blamed: after " + after + " of " +
              request_.spec.name + " (" + detail + ") what had worked before fails in two fresh workers: " + why +
              "\nlook at the device (nvidia-smi, the kernel's log); the same command goes on where this one ended");
}

// One sample of each, in this order. When one of several fails that were enqueued together, nobody is blamed for it: it
// is told, and they are sampled once more, one by one. What failures take is no time that comparing may take.
TrialWorker::InTurn SessionRun::sample_in_turn(std::span<const TrialWorker::CandidateId> candidates) {
  double begin = worker_->seconds();
  const auto lose_time = [&] {
    const double now = worker_->seconds();
    lost_seconds_ += now - std::exchange(begin, now);
  };
  TrialWorker::InTurn all = worker_->sample_in_turn(candidates, timed({}));
  if (!all.status.ok() && !all.failed) {
    const std::string several = "one of several that were sampled together";
    const std::string names = worker_->names_of(candidates);
    observer_.note(several + ": " + all.status.detail + "; sampled one by one from here: " + names);
    if (all.status.sticky) check_environment(several + ", " + names + ",", all.status.detail);
    lose_time();
    all = worker_->sample_in_turn(candidates, timed({}));
  }
  if (!all.status.ok()) lose_time();
  return all;
}

// A worker died of this trial. True when that is its verdict; false when it is to be tried once more.
bool SessionRun::die(Trial& trial) {
  if (!workers_.device().isolates()) {
    finish_trial(trial, false);
    commit();
    throw Error("the device is beyond use after " + trial.configuration.text() + " of " + request_.spec.name + ": " +
                trial.detail +
                "; that configuration is logged and will not be tried again: run the same command to go on");
  }
  if (anchor_ && trial.configuration == *default_) anchor_.reset();
  check_environment(trial.configuration.text(), trial.detail);
  store_.count_death(row_.id, trial.configuration);
  if (++deaths_[trial.configuration.text()] < kDeathsToQuarantine) {
    observer_.note(trial.configuration.text() + ": " + trial.detail + "; tried once more in a fresh worker");
    return false;
  }
  store_.quarantine(row_.id, trial);
  observer_.note(trial.configuration.text() + ": " + trial.detail + "; quarantined after two deaths");
  return true;
}

}  // namespace attune
