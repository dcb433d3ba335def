#include "session/search_progress.hpp"

#include <algorithm>

#include "worker/pool.hpp"

namespace attune {
namespace {

// If more than this share of this many first trials fail alike, the kernel is at fault, or its rules miss something.
constexpr std::int64_t first_trials = 50;
constexpr double failing_alike = 0.9;

}  // namespace

SearchProgress::SearchProgress(const SessionTerms& terms, const ObjectiveValues& values, const TrialLog& log,
                               double used_seconds)
    : terms_(terms), values_(values), log_(log), used_seconds_(used_seconds) {
  for (const Trial& trial : log.earlier()) {
    const double objective = trial.verdict == Verdict::ok ? score(trial) : 0;
    if (terms.request.part)  // what is patient is the session, not its part
      improvement_.see(objective);
    else
      improvement_.know(objective);
    if (objective == 0) continue;
    ++survivors_;
    if (best_score_ == 0 || objective < best_score_) keep_best(trial);
  }
}

double SearchProgress::score(const Trial& trial) const { return values_.score(trial, log_.find_anchor()); }

void SearchProgress::keep_best(const Trial& trial) {
  best_score_ = score(trial);
  best_ratio_ = time_ratio(trial, log_.find_anchor());
  best_ = trial.configuration;
}

// Called when an anchor has survived after others: the scores of these survivors are relative to it from then on.
void SearchProgress::rank_again() {
  const std::vector<Trial> survivors = ranked_survivors();
  if (!survivors.empty()) keep_best(survivors.front());
}

void SearchProgress::see(const Trial& trial, bool is_new, bool from_log) {
  const bool survives = trial.verdict == Verdict::ok;
  if (is_new && log_.size() <= first_trials) ++first_verdicts_[trial.verdict];
  if (survives) values_.check_values(trial);
  if (survives && best_score_ > 0 && terms_.may_be_anchor(trial.configuration)) rank_again();
  const double objective = survives ? score(trial) : 0;
  if (from_log)
    improvement_.know(objective);
  else
    improvement_.see(objective);
  run_trials_ += !from_log;
  is_new_best_ = survives && (best_score_ == 0 || objective < best_score_);
  survivors_ += survives;
  if (is_new_best_) keep_best(trial);
}

double SearchProgress::run_seconds() const {
  return std::min(terms_.request.limits.seconds.value_or(Pool::forever),
                  terms_.budget.seconds.value_or(Pool::forever) - used_seconds_);
}

double SearchProgress::incumbent_ns(double anchor_ns) const {
  const Objectives& objectives = terms_.request.objectives;
  if (objectives.name(0) != "time" && !objectives.needs_energy(0)) return 0;
  return anchor_ns > 0 ? best_score_ * anchor_ns : best_score_;
}

Progress SearchProgress::shown(double run_seconds, double anchor_ns, bool from_log) const {
  Progress progress;
  progress.new_best = is_new_best_;
  progress.trials = log_.size();
  progress.survivors = survivors_;
  const Budget& limits = terms_.request.limits;
  // The user's limit counts for this run, the effort's over all continuations.
  progress.seconds = limits.seconds ? run_seconds : used_seconds(run_seconds);
  progress.seconds_limit = limits.seconds ? limits.seconds : terms_.budget.seconds;
  progress.trials_limit = limits.trials;
  progress.default_ns = anchor_ns;
  if (const Trial* const anchor = log_.find_anchor()) progress.anchor = anchor->configuration;
  progress.best_ns = anchor_ns > 0 ? best_ratio_ * anchor_ns : best_ratio_;
  progress.best = best_;
  progress.from_log = from_log;
  return progress;
}

SearchUse SearchProgress::spent(double run_seconds, double anchor_ns) const {
  SearchUse spent{run_seconds, run_trials_, improvement_.idle_trials(), 0, 0};
  if (best_ratio_ > 0) {
    spent.best_ns = anchor_ns > 0 ? best_ratio_ * anchor_ns : best_ratio_;
    spent.speedup = anchor_ns > 0 ? 1 / best_ratio_ : 0;
  }
  return spent;
}

std::optional<Ending> SearchProgress::limit_reached(double run_seconds, double anchor_ns) const {
  return terms_.request.limits.reached(spent(run_seconds, anchor_ns));
}

// The effort's budget counts over all continuations, the user's limits for this run.
std::optional<Ending> SearchProgress::stop_reason(double run_seconds, double anchor_ns) const {
  SearchUse spent = this->spent(run_seconds, anchor_ns);
  const std::optional<Ending> limit = terms_.request.limits.reached(spent);
  if (limit == Ending::target || limit == Ending::patience) return limit;
  spent.seconds = used_seconds(run_seconds);
  spent.trials = log_.size();
  if (terms_.budget.reached(spent)) return Ending::effort_spent;
  if (limit) return limit;
  return is_hopeless() ? std::optional(Ending::hopeless) : std::nullopt;
}

// Returns whether nearly all of the first trials failed alike. An exhaustive search takes configurations in order, so
// that failures lie side by side.
bool SearchProgress::is_hopeless() const {
  if (terms_.request.keep_going || terms_.request.effort == Effort::exhaustive) return false;
  std::int64_t count = 0;
  for (const auto& [verdict, trials] : first_verdicts_) count += trials;
  if (count < first_trials) return false;
  return std::any_of(first_verdicts_.begin(), first_verdicts_.end(), [](const auto& entry) {
    const bool is_most = static_cast<double>(entry.second) > failing_alike * static_cast<double>(first_trials);
    return entry.first != Verdict::ok && is_most;
  });
}

std::vector<Trial> SearchProgress::ranked_survivors() const {
  std::vector<Trial> survivors;
  for (const Trial* const trial : log_.trials())
    if (trial->verdict == Verdict::ok) survivors.push_back(*trial);
  std::stable_sort(survivors.begin(), survivors.end(),
                   [this](const Trial& a, const Trial& b) { return score(a) < score(b); });
  return survivors;
}

}  // namespace attune
