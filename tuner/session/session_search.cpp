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

double SessionRun::run_seconds() const { return search_began_ ? device_.seconds() - *search_began_ : 0; }

double SessionRun::search_seconds() const { return row_.used_seconds + run_seconds(); }

// The effort's budget counts over all continuations, the user's limits for this run. What finishes the session is
// named before what makes it partial.
std::optional<StopReason> SessionRun::stop_reason() const {
  if (stop_.load() > 0) return StopReason::interrupt;
  Spent spent{run_seconds(), run_trials_, improvement_.idle_trials(), 0, 0};
  if (best_score_ > 0) {
    spent.best_ns = anchor_ns_ > 0 ? best_score_ * anchor_ns_ : best_score_;
    spent.speedup = anchor_ns_ > 0 ? 1 / best_score_ : 0;
  }
  const std::optional<StopReason> limit = request_.limits.reached(spent);
  if (limit == StopReason::target || limit == StopReason::patience) return limit;
  spent.seconds = search_seconds();
  spent.trials = static_cast<std::int64_t>(trials_.size());
  if (effort_.budget.reached(spent)) return StopReason::effort_spent;
  if (limit) return limit;
  return hopeless() ? std::optional(StopReason::hopeless) : std::nullopt;
}

bool SessionRun::hopeless() const {
  return survivors_ == 0 && static_cast<std::int64_t>(trials_.size()) >= kHopelessTrials;
}

void SessionRun::search() {
  search_began_ = device_.seconds();
  // The default goes first and alone: it becomes the anchor. One that failed before is not launched again.
  const auto tried = trials_.find(default_->text());
  if (tried == trials_.end()) proposals_->begin(*space_.row_of(*default_));
  if (tried == trials_.end() || tried->second.verdict == Verdict::ok) propose(*default_);
  if (source_->outstanding() > 0) handle(source_->next());
  while (!(reason_ = stop_reason())) {
    fill_pipeline();
    if (source_->outstanding() == 0) break;  // nothing is left, or what the log answered ends the search
    std::vector<CompileResult> ready;
    ready.push_back(source_->next());
    while (compiler_->disturbs_timing() && source_->outstanding() > 0 && stop_.load() == 0)
      ready.push_back(source_->next());
    for (const CompileResult& result : ready) {
      if (stop_reason()) break;
      handle(result);
    }
    ahead_ = std::min(2 * ahead_, most_ahead_);
  }
  if (!reason_) reason_ = stop_reason().value_or(StopReason::everything_tried);
  // A limit may be reached just as the last configuration is.
  const bool limited = reason_ == StopReason::time || reason_ == StopReason::trials;
  if (limited && source_->outstanding() == 0 && proposals_->is_exhausted()) reason_ = StopReason::everything_tried;
}

// Outside of the space are those of another one, not narrowed, and what only the final stage measured.
void SessionRun::tell_strategy(const Trial& trial) {
  const std::optional<Row> row = space_.row_of(trial.configuration);
  if (!row || !space_.contains(*row)) return;
  const bool valid = trial.verdict == Verdict::ok;
  proposals_->tell(*row, {valid, valid ? score(trial) : 0, trial.compile_ms * 1e-3});
}

void SessionRun::fill_pipeline() {
  while (source_->outstanding() < ahead_ && !stop_reason()) {
    const auto begun = run_trials_ + static_cast<std::int64_t>(source_->outstanding());
    if (request_.limits.trials && begun >= *request_.limits.trials) return;
    const std::optional<Row> row = proposals_->next();
    if (!row) return;
    const Configuration next = space_.configuration(*row);
    if (const auto known = log_.find(next.text()); known != log_.end())
      finish_trial(known->second, true);
    else
      propose(next);
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
    under_way_.emplace(next_ticket_++, configuration);
  } catch (const Error& error) {
    Trial trial;
    trial.configuration = configuration;
    trial.verdict = Verdict::launch_error;
    trial.detail = error.what();
    finish_trial(trial, false);
  }
}

void SessionRun::handle(const CompileResult& result) {
  const auto found = under_way_.find(result.id);
  const Configuration configuration = found->second;
  under_way_.erase(found);
  const Trial trial = try_configuration(configuration, result.outcome);
  // On a continued session the default is launched for the anchor alone: its trial is there.
  if (!trials_.contains(configuration.text())) finish_trial(trial, false);
  if (anchor_ && ++trials_since_anchor_ >= protocol_.anchor_every) time_anchor();
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
    end_if_lost(worker_->warm_up(*anchor_, protocol_.warm_up_ms), trial);
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

void SessionRun::time_anchor() {
  std::vector<double> samples;
  for (int i = 0; i < protocol_.anchor_samples; ++i) {
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
  tell_strategy(trial);
  trials_.insert_or_assign(trial.configuration.text(), trial);
  const double objective = trial.verdict == Verdict::ok ? score(trial) : 0;
  if (from_log)
    improvement_.know(objective);
  else
    improvement_.see(objective);
  run_trials_ += !from_log;
  Progress progress;
  if (trial.verdict == Verdict::ok) {
    ++survivors_;
    if (best_score_ == 0 || objective < best_score_) {
      best_score_ = objective;
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
  progress.seconds_limit = request_.limits.seconds ? request_.limits.seconds : effort_.budget.seconds;
  progress.trials_limit = request_.limits.trials;
  progress.default_ns = anchor_ns_;
  progress.best_ns = anchor_ns_ > 0 ? best_score_ * anchor_ns_ : best_score_;
  progress.best = best_;
  progress.from_log = from_log;
  observer_.trial_done(trial, progress);
}

}  // namespace attune
