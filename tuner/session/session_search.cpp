// The search loop: propose, compile ahead, check, sample, log.
#include <algorithm>
#include <chrono>
#include <utility>

#include "attune/error.hpp"
#include "kernel/instantiate.hpp"
#include "session/session_run.hpp"

namespace attune {
namespace {

// When more than this share of so many first trials fail alike, the kernel is at fault, or its rules miss something.
constexpr std::int64_t kFirstTrials = 50;
constexpr double kFailingAlike = 0.9;

// Proposals that are under way, to one image that is being compiled.
constexpr std::size_t kMostSharing = 8;

// Of the best survivors, images are kept for the stages that follow; the rest are compiled again if they are needed.
constexpr std::size_t kKeptImages = 256;

}  // namespace

// Waiting for another tuner's turn is no search.
double SessionRun::run_seconds() const {
  return search_began_ ? worker_->seconds() - *search_began_ - lock_.waited_seconds() : 0;
}

double SessionRun::search_seconds() const { return row_.used_seconds + run_seconds(); }

// The effort's budget counts over all continuations, the user's limits for this run. What finishes the session is
// named before what makes it partial.
std::optional<StopReason> SessionRun::stop_reason() const {
  if (stop_.load() > 0) return StopReason::interrupt;
  Spent spent{run_seconds(), run_trials_, improvement_.idle_trials(), 0, 0};
  if (best_ratio_ > 0) {
    spent.best_ns = anchor_ns_ > 0 ? best_ratio_ * anchor_ns_ : best_ratio_;
    spent.speedup = anchor_ns_ > 0 ? 1 / best_ratio_ : 0;
  }
  const std::optional<StopReason> limit = request_.limits.reached(spent);
  if (limit == StopReason::target || limit == StopReason::patience) return limit;
  spent.seconds = search_seconds();
  spent.trials = static_cast<std::int64_t>(trials_.size());
  if (budget_.reached(spent)) return StopReason::effort_spent;
  if (limit) return limit;
  return failing_alike() ? std::optional(StopReason::hopeless) : std::nullopt;
}

// The verdict of nearly all of the first trials, or of all of them that failed when none survived.
std::optional<Verdict> SessionRun::failing_alike() const {
  // Whoever asks for every configuration has them in order, failures side by side.
  if (request_.keep_going || request_.effort == Effort::exhaustive) return std::nullopt;
  std::int64_t count = 0;
  for (const auto& [verdict, trials] : first_verdicts_) count += trials;
  if (count < kFirstTrials) return std::nullopt;
  for (const auto& [verdict, trials] : first_verdicts_) {
    if (verdict == Verdict::ok) continue;
    if (static_cast<double>(trials) > kFailingAlike * static_cast<double>(kFirstTrials)) return verdict;
  }
  return std::nullopt;
}

void SessionRun::search() try {
  search_loop();
  end_turn();
  commit();
} catch (...) {  // a strategy that fails, a compiler that is broken: what was tried by then is kept
  commit();
  throw;
}

void SessionRun::search_loop() {
  search_began_ = worker_->seconds() - lock_.waited_seconds();
  // The default goes first and alone: it becomes the anchor. One that failed before is not launched again.
  const auto tried = trials_.find(default_->text());
  if (tried == trials_.end()) proposals_->begin(*space_.row_of(*default_));
  if (tried == trials_.end() || tried->second.verdict == Verdict::ok) propose(*default_);
  if (!under_way_.empty())
    if (const auto first = next_image()) handle(*first);
  // Compiles that think() asks for must not disturb the samples of the trial that it is called in.
  thinks_in_trials_ = !compiler_->disturbs_timing();
  while (!(reason_ = stop_reason())) {
    if (!std::exchange(thought_, false) || under_way_.empty()) think();
    if (under_way_.empty()) break;  // nothing is left, or what the log answered ends the search
    std::vector<CompileResult> ready;
    do {
      std::optional<CompileResult> next = next_image();
      if (!next) break;
      ready.push_back(std::move(*next));
    } while (compiler_->disturbs_timing() && source_->outstanding() > 0);
    for (const CompileResult& result : ready) {
      if (stop_reason()) break;
      handle(result);
    }
    ahead_ = std::min(2 * ahead_, most_ahead_);
  }
  tell_strategy_all();
  if (!reason_) reason_ = stop_reason().value_or(StopReason::everything_tried);
  // A limit may be reached just as the last configuration is.
  const bool limited = reason_ == StopReason::time || reason_ == StopReason::trials;
  if (limited && source_->outstanding() == 0 && proposals_->is_exhausted()) reason_ = StopReason::everything_tried;
}

std::optional<CompileResult> SessionRun::next_image() {
  if (source_->is_ready()) return source_->next(stop_);
  const auto begin = std::chrono::steady_clock::now();
  end_turn();
  commit();
  std::optional<CompileResult> next = source_->next(stop_);
  compile_wait_seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return next;
}

// Outside of the space are those of another one, not narrowed, and what only the final stage measured.
void SessionRun::tell_strategy(const Trial& trial) {
  const std::optional<Row> row = space_.row_of(trial.configuration);
  if (!row || !space_.contains(*row)) return;
  const bool valid = trial.verdict == Verdict::ok;
  proposals_->tell(*row, {valid, valid ? score(trial) : 0, trial.compile_ms * 1e-3});
}

void SessionRun::tell_strategy_all() {
  for (const Trial& trial : std::exchange(untold_trials_, {})) tell_strategy(trial);
}

// Configurations that share an image are no work for the compilers, which shall not wait while the device does. Where
// compiles come in waves, a wave is what is counted.
bool SessionRun::wants_more() const {
  if (under_way_.size() < ahead_) return true;
  const bool compilers_idle = source_->compiling() < ahead_ && source_->ready() < ahead_ / 2;
  return thinks_in_trials_ && compilers_idle && under_way_.size() < kMostSharing * ahead_;
}

// The strategy hears what there is, and is asked until enough is under way. It may take its time: the device is at work
// meanwhile, if it can be, and once for each trial, so that what is proposed does not depend on who is faster.
void SessionRun::think() {
  tell_strategy_all();
  while (wants_more() && !stop_reason()) {
    const auto begun = run_trials_ + static_cast<std::int64_t>(under_way_.size());
    if (request_.limits.trials && begun >= *request_.limits.trials) return;
    const std::optional<Row> row = proposals_->next();
    if (!row) return;
    const Configuration next = space_.configuration(*row);
    const auto known = log_.find(next.text());
    if (known != log_.end() && known->second.batch == batch_)  // else the times are of another kind
      finish_trial(known->second, true);
    else
      propose(next);
    tell_strategy_all();
  }
}

void SessionRun::propose(const Configuration& configuration) {
  if (const std::optional<Trial> killer = known_to_kill(configuration)) return finish_trial(*killer, false);
  try {
    // What cannot be resolved for this configuration is its own affair: a scalar that does not fit its type, a size
    // that is undefined.
    resolve_steps(request_.spec, request_.spec.launch, request_.problem, &configuration, device_);
    resolve_arguments(request_.spec, request_.problem, &configuration, device_);
    const ImageRequest request =
        image_request(request_.spec, request_.spec.launch, request_.problem, &configuration, device_);
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
  if (!turn_) turn_.emplace(lock_, stop_);
  const std::optional<Trial> trial = try_configuration(configuration, result.outcome);
  under_way_.erase(found);
  if (!trial) return;
  // On a continued session the default is launched for the anchor alone: its trial is there.
  if (!trials_.contains(configuration.text())) finish_trial(*trial, false);
  if (failed_thought_) std::rethrow_exception(std::exchange(failed_thought_, nullptr));
  if (anchor_ && ++trials_since_anchor_ >= protocol_.anchor_every) time_anchor();
  note_watched();
  if (lock_.somebody_waits()) end_turn();
}

// The worker is at nothing when another process has its turn.
void SessionRun::end_turn() {
  if (!turn_) return;
  worker_->forget();
  turn_.reset();
}

void SessionRun::keep_best(const Trial& trial) {
  best_score_ = score(trial);
  best_ratio_ = time_ratio(trial);
  best_ = trial.configuration;
}

void SessionRun::finish_trial(const Trial& trial, bool from_log) {
  untold_trials_.push_back(trial);
  const bool is_new = trials_.insert_or_assign(trial.configuration.text(), trial).second;
  if (is_new && static_cast<std::int64_t>(trials_.size()) <= kFirstTrials) ++first_verdicts_[trial.verdict];
  if (trial.verdict == Verdict::ok) check_values(trial);
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
      keep_best(trial);
      progress.new_best = true;
    }
  }
  if (images_kept_.size() > 2 * kKeptImages) drop_images();
  if (search_seconds() - saved_seconds_ >= 1) {
    saved_seconds_ = search_seconds();
    store_.update_session(row_.id, SessionState::running, saved_seconds_);
  }
  progress.trials = static_cast<std::int64_t>(trials_.size());
  progress.survivors = survivors_;
  progress.seconds = search_seconds();
  progress.seconds_limit = request_.limits.seconds ? request_.limits.seconds : budget_.seconds;
  progress.trials_limit = request_.limits.trials;
  progress.default_ns = anchor_ns_;
  progress.best_ns = anchor_ns_ > 0 ? best_ratio_ * anchor_ns_ : best_ratio_;
  progress.best = best_;
  progress.from_log = from_log;
  uncommitted_.push_back(trial);
  untold_.push_back(progress);
}

// Those of the worst survivors. What is in no trial is the present record's.
void SessionRun::drop_images() {
  std::vector<std::pair<double, std::string>> by_score;
  for (const auto& [text, image] : images_kept_)
    if (const auto trial = trials_.find(text); trial != trials_.end())
      by_score.emplace_back(score(trial->second), text);
  std::sort(by_score.begin(), by_score.end());
  for (std::size_t i = kKeptImages; i < by_score.size(); ++i) images_kept_.erase(by_score[i].second);
}

// Verdicts become durable with the attempt that follows, in one transaction, or before the session waits: a disk that
// takes its time shall not keep the device waiting twice. What was shown is in the database.
void SessionRun::commit() {
  store_.add_trials(row_.id, uncommitted_);
  tell_observer();
}

void SessionRun::tell_observer() {
  for (std::size_t i = 0; i < untold_.size(); ++i) observer_.trial_done(uncommitted_[i], untold_[i]);
  uncommitted_.clear();
  untold_.clear();
}

}  // namespace attune
