// One configuration on the device: attempt, check, samples; and whose fault it is when a worker dies of it.
#include <algorithm>
#include <chrono>
#include <utility>

#include "attune/error.hpp"
#include "measure/screen.hpp"
#include "measure/statistics.hpp"
#include "session/session_run.hpp"

namespace attune {
namespace {

// A death may be bad luck; a second one is not.
constexpr int kDeathsToQuarantine = 2;

// Samples of the anchor beside one commit, at most; and those that its time is the median of.
constexpr double kMostBeside = 8;
constexpr std::size_t kAnchorWindow = 15;
constexpr double kSmoothing = 0.1;  // weight of the last commit in what one takes

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// The most that any entry of an image needs, of each resource.
ResourceUsage largest_usage(const Image& image) {
  ResourceUsage most;
  for (const ImageFunction& function : image.functions) {
    most.registers = std::max(most.registers, function.usage.registers);
    most.shared_static = std::max(most.shared_static, function.usage.shared_static);
    most.local_bytes = std::max(most.local_bytes, function.usage.local_bytes);
    most.spill_bytes = std::max(most.spill_bytes, function.usage.spill_bytes);
    most.constant_bytes = std::max(most.constant_bytes, function.usage.constant_bytes);
  }
  return most;
}

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
  trial.usage = largest_usage(*outcome.image);
  // On a continued session the default is launched for the anchor alone: it has its verdict, which ends attempts.
  const bool has_verdict = trials_.contains(configuration.text());
  const auto begun_before = begun_.find(configuration.text());
  trial.attempts = begun_before == begun_.end() ? 0 : begun_before->second;
  // A worker process times the anchor and loads this while the attempt becomes durable.
  const bool is_apart = workers_.device().isolates();
  const auto begin_check = [&] {
    worker_->begin_check(configuration, *outcome.image, trial.attempts, {anchor_.value_or(0), anchor_samples_beside()});
  };
  do {
    ++trial.attempts;
    if (is_apart) begin_check();
    if (!has_verdict) {
      const std::optional<int> begun = begin_attempt(configuration);
      if (!begun) {
        worker_->forget_check();
        return std::nullopt;
      }
      trial.attempts = *begun;
    }
    if (!is_apart) begin_check();
  } while (!try_once(configuration, trial) && !die(trial));
  if (trial.verdict == Verdict::ok) images_kept_.insert_or_assign(configuration.text(), *outcome.image);
  return trial;
}

// Checks what the worker has begun to load, and gives the trial its verdict. False when the worker died of it, or its
// device is beyond use.
bool SessionRun::try_once(const Configuration& configuration, Trial& trial) {
  const auto take = [&trial](const Status& status) {
    trial.verdict = status.verdict;
    trial.detail = status.detail;
    return !status.sticky;
  };
  const TrialWorker::Checked checked = worker_->finish_check([this] {
    if (!thinks_in_trials_ || std::exchange(thought_, true)) return;
    try {
      think();
    } catch (...) {  // which is not this trial's fault: handle() throws it, once the trial has its verdict
      failed_thought_ = std::current_exception();
    }
  });
  trial.max_error = checked.max_error;
  hear_anchor();
  if (!take(checked.status)) return false;
  if (!checked.candidate) return true;
  const bool becomes_anchor = !anchor_ && configuration == *default_;
  if (becomes_anchor) {
    if (const Status status = worker_->warm_up(*checked.candidate, protocol_.warm_up_ms); !status.ok()) {
      worker_->release(*checked.candidate);
      return take(status);
    }
    anchor_ = *checked.candidate;
    if (const Status status = time_anchor(); !status.ok()) {
      anchor_.reset();
      worker_->release(*checked.candidate);
      return take(status);
    }
  }
  const Status measured = measure(*checked.candidate, trial);
  if (becomes_anchor && measured.ok()) return take(measured);
  if (becomes_anchor) anchor_.reset();
  worker_->release(*checked.candidate);
  return take(measured);
}

Status SessionRun::measure(TrialWorker::CandidateId candidate, Trial& trial) {
  const double incumbent_ns = anchor_ns_ > 0 ? best_score_ * anchor_ns_ : best_score_;
  std::vector<double> samples;
  while (wants_another_sample(samples, incumbent_ns, protocol_)) {
    const Sample sample = worker_->sample(candidate);
    if (!sample.status.ok()) return sample.status;
    samples.push_back(sample.nanoseconds);
  }
  if (Status again = worker_->recheck(candidate, trial.max_error); !again.ok()) return again;
  const std::span<const double> counted = counted_samples(samples);
  trial.measurement = summarise({counted.begin(), counted.end()});
  trial.anchor_ns = anchor_ns_;
  return {};
}

// The anchor was timed before: when a worker dies of it, another configuration or the device is to blame, and a fresh
// worker shows whether things go on. While it was not, the death is its own, and the status tells it.
Status SessionRun::time_anchor() {
  std::vector<double> samples, waits;
  trials_since_anchor_ = 0;
  for (int i = 0; i < protocol_.anchor_samples; ++i) {
    const auto begin = Clock::now();
    const Sample sample = worker_->sample(*anchor_);
    waits.push_back(seconds_since(begin));
    if (sample.status.sticky && anchor_ns_ == 0) return sample.status;
    if (sample.status.sticky) {
      Trial trial;
      trial.configuration = *default_;
      trial.detail = sample.status.detail;
      check_environment(trial);
    }
    if (sample.status.ok()) samples.push_back(sample.nanoseconds);
  }
  if (samples.empty()) return {};
  anchor_wait_seconds_ = median(waits);
  anchor_beside_.clear();
  anchor_ns_ = median(samples);
  worker_->expect_launch(anchor_ns_);
  return {};
}

// How many samples of the anchor take no longer than the commit that the device would wait for. Nothing waits where
// there is no other process, and a clock of its own would run on.
int SessionRun::anchor_samples_beside() const {
  if (!anchor_ || anchor_wait_seconds_ <= 0 || opened_.own_clock || !workers_.device().isolates()) return 0;
  return static_cast<int>(std::min<double>(kMostBeside, commit_wait_seconds_ / anchor_wait_seconds_));
}

// Samples beside commits keep the anchor's time up to date, so that it need not be timed for itself.
void SessionRun::hear_anchor() {
  const std::vector<double>& samples = worker_->beside_samples();
  anchor_beside_.insert(anchor_beside_.end(), samples.begin(), samples.end());
  if (samples.empty() || anchor_beside_.size() < kAnchorWindow) return;
  anchor_beside_.erase(anchor_beside_.begin(), anchor_beside_.end() - kAnchorWindow);
  anchor_ns_ = median(anchor_beside_);
  worker_->expect_launch(anchor_ns_);
  trials_since_anchor_ = 0;
}

// After a death: does a fresh worker still do what it did before? It has run the reference when it is there; then the
// anchor. One failure may be an echo of the death; two, and nothing that is measured here means anything.
void SessionRun::check_environment(const Trial& trial) {
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
  throw Error("the device or its driver is at fault, and no configuration is blamed: after " +
              trial.configuration.text() + " of " + request_.spec.name + " (" + trial.detail +
              ") what had worked before fails in two fresh workers: " + why +
              "\nlook at the device (nvidia-smi, the kernel's log); the same command goes on where this one ended");
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
  check_environment(trial);
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
