// The search loop: propose, compile ahead, check, sample, log.
#include <algorithm>

#include "attune/error.hpp"
#include "core/instantiate.hpp"
#include "measure/screen.hpp"
#include "measure/statistics.hpp"
#include "session/session_run.hpp"

namespace attune {
namespace {

// So many failures with no survivor at all: the kernel, not its configurations, is at fault.
constexpr std::int64_t kHopelessTrials = 50;

// Of the best survivors, images are kept for the final stage; the rest are compiled again if they are needed.
constexpr std::size_t kKeptImages = 24;

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

// What survivors are ranked by: the median relative to the anchor, so that drift of the clocks cancels.
double SessionRun::score(const Trial& trial) const {
  return trial.anchor_ns > 0 ? trial.measurement.median_ns / trial.anchor_ns : trial.measurement.median_ns;
}

double SessionRun::run_seconds() const {
  if (search_began_.time_since_epoch().count() == 0) return 0;
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - search_began_).count();
}

double SessionRun::search_seconds() const { return row_.used_seconds + run_seconds(); }

// The effort's budget counts over all continuations, the user's limits for this run.
bool SessionRun::budget_spent() const {
  return effort_budget_.spent(search_seconds(), static_cast<std::int64_t>(trials_.size())) ||
         request_.limits.spent(run_seconds(), run_trials_);
}

bool SessionRun::hopeless() const {
  return survivors_ == 0 && static_cast<std::int64_t>(trials_.size()) >= kHopelessTrials;
}

void SessionRun::search() {
  search_began_ = std::chrono::steady_clock::now();
  // The default goes first and alone: it becomes the anchor. One that failed before is not launched again.
  const auto tried = trials_.find(default_->text());
  if (tried == trials_.end() || tried->second.verdict == Verdict::ok) propose(*default_);
  if (source_->outstanding() > 0) handle(source_->next());
  while (stop_.load() == 0 && !budget_spent() && !hopeless()) {
    fill_pipeline();
    if (source_->outstanding() == 0) break;
    std::vector<CompileResult> ready;
    ready.push_back(source_->next());
    while (compiler_->disturbs_timing() && source_->outstanding() > 0 && stop_.load() == 0)
      ready.push_back(source_->next());
    for (const CompileResult& result : ready) {
      if (stop_.load() > 0 || budget_spent() || hopeless()) break;
      handle(result);
    }
    ahead_ = std::min(2 * ahead_, most_ahead_);
  }
  if (stop_.load() == 0 && source_->outstanding() == 0) exhausted_ = exhausted_ || nothing_left();
}

// Whether a limit was reached just as the last configuration was.
bool SessionRun::nothing_left() {
  while (const std::optional<Configuration> next = strategy_->ask())
    if (!trials_.contains(next->text())) return false;
  return true;
}

void SessionRun::fill_pipeline() {
  while (!exhausted_ && source_->outstanding() < ahead_ && stop_.load() == 0) {
    const auto begun = run_trials_ + static_cast<std::int64_t>(source_->outstanding());
    if (request_.limits.trials && begun >= *request_.limits.trials) return;
    const std::optional<Configuration> next = strategy_->ask();
    if (!next) {
      exhausted_ = source_->outstanding() == 0;
      return;
    }
    const std::string text = next->text();
    if (trials_.contains(text)) continue;
    if (const auto known = log_.find(text); known != log_.end()) {
      finish_trial(known->second, true);
      continue;
    }
    propose(*next);
  }
}

void SessionRun::propose(const Configuration& configuration) {
  const DeviceInfo& device = device_.info();
  try {
    // What cannot be resolved for this configuration is its own affair: a scalar that does not fit its type, a size
    // that is undefined.
    resolve_steps(request_.spec, request_.spec.launch, request_.problem, &configuration, device);
    resolve_arguments(request_.spec, request_.problem, &configuration, device);
    const ImageRequest request =
        image_request(request_.spec, request_.spec.launch, request_.problem, &configuration, device);
    source_->ask(next_ticket_, request);
    proposals_.emplace(next_ticket_++, configuration);
  } catch (const Error& error) {
    Trial trial;
    trial.configuration = configuration;
    trial.verdict = Verdict::launch_error;
    trial.detail = error.what();
    finish_trial(trial, false);
  }
}

void SessionRun::handle(const CompileResult& result) {
  const auto found = proposals_.find(result.id);
  const Configuration configuration = found->second;
  proposals_.erase(found);
  const Trial trial = try_configuration(configuration, result.outcome);
  // On a continued session the default is launched for the anchor alone: its trial is there.
  if (!trials_.contains(configuration.text())) finish_trial(trial, false);
  if (anchor_ && ++trials_since_anchor_ >= request_.protocol.anchor_every) time_anchor();
}

Trial SessionRun::try_configuration(const Configuration& configuration, const CompileOutcome& outcome) {
  Trial trial;
  trial.configuration = configuration;
  trial.compile_ms = outcome.milliseconds;
  trial.self_checked = worker_->self_checked();
  trial.verdict = outcome.verdict;
  if (!outcome.image) {
    trial.detail = outcome.log;
    return trial;
  }
  trial.usage = largest_usage(*outcome.image);
  const TrialWorker::Checked checked = worker_->check(configuration, *outcome.image);
  trial.max_error = checked.max_error;
  end_if_lost(checked.status, trial);
  if (!checked.candidate) return trial;
  const bool becomes_anchor = !anchor_ && configuration == *default_;
  if (becomes_anchor) {
    anchor_ = *checked.candidate;
    end_if_lost(worker_->warm_up(*anchor_, request_.protocol.warm_up_ms), trial);
    time_anchor();
  }
  end_if_lost(measure(*checked.candidate, trial), trial);
  if (!becomes_anchor) worker_->release(*checked.candidate);
  if (trial.verdict == Verdict::ok) images_kept_.insert_or_assign(configuration.text(), *outcome.image);
  return trial;
}

// Takes the status into the trial. When the device is lost with it the trial is logged and the session ends: whatever
// ran next would be blamed for it.
void SessionRun::end_if_lost(const Status& status, Trial& trial) {
  trial.verdict = status.verdict;
  trial.detail = status.detail;
  if (!status.sticky) return;
  finish_trial(trial, false);
  throw Error("the device is beyond use after " + trial.configuration.text() + " of " + request_.spec.name + ": " +
              trial.detail +
              "; that configuration is logged and will not be tried again: run the same command to go on");
}

Status SessionRun::measure(TrialWorker::CandidateId candidate, Trial& trial) {
  const double incumbent_ns = anchor_ns_ > 0 ? best_score_ * anchor_ns_ : best_score_;
  std::vector<double> samples;
  while (wants_another_sample(samples, incumbent_ns, request_.protocol)) {
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

void SessionRun::time_anchor() {
  std::vector<double> samples;
  for (int i = 0; i < request_.protocol.anchor_samples; ++i) {
    const Sample sample = worker_->sample(*anchor_);
    Trial trial;
    trial.configuration = *default_;
    if (!sample.status.ok()) end_if_lost(sample.status, trial);
    if (sample.status.ok()) samples.push_back(sample.nanoseconds);
  }
  if (!samples.empty()) anchor_ns_ = median(samples);
  trials_since_anchor_ = 0;
}

void SessionRun::finish_trial(const Trial& trial, bool from_log) {
  store_.add_trial(row_.id, trial);
  strategy_->tell(trial);
  trials_.insert_or_assign(trial.configuration.text(), trial);
  if (!from_log) ++run_trials_;
  Progress progress;
  if (trial.verdict == Verdict::ok) {
    ++survivors_;
    if (best_score_ == 0 || score(trial) < best_score_) {
      best_score_ = score(trial);
      best_ = trial.configuration;
      progress.new_best = true;
    }
  }
  while (images_kept_.size() > 2 * kKeptImages) {  // drop those of the worst survivors, some at a time
    const auto worst = std::max_element(images_kept_.begin(), images_kept_.end(), [this](const auto& a, const auto& b) {
      return score(trials_.at(a.first)) < score(trials_.at(b.first));
    });
    images_kept_.erase(worst);
  }
  if (search_seconds() - saved_seconds_ >= 1) {
    saved_seconds_ = search_seconds();
    store_.update_session(row_.id, SessionState::running, saved_seconds_);
  }
  progress.trials = static_cast<std::int64_t>(trials_.size());
  progress.survivors = survivors_;
  progress.seconds = search_seconds();
  progress.seconds_limit = request_.limits.seconds ? request_.limits.seconds : effort_budget_.seconds;
  progress.trials_limit = request_.limits.trials;
  progress.default_ns = anchor_ns_;
  progress.best_ns = anchor_ns_ > 0 ? best_score_ * anchor_ns_ : best_score_;
  progress.best = best_;
  progress.from_log = from_log;
  observer_.trial_done(trial, progress);
}

}  // namespace attune
