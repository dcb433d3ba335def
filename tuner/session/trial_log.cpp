#include "session/trial_log.hpp"

#include <set>
#include <utility>

namespace attune {
namespace {

// A configuration that was alone under way in this many killed runs is left alone, because it may be the cause.
constexpr int most_unfinished = 3;

constexpr std::chrono::milliseconds between_commits{50};

}  // namespace

TrialLog::TrialLog(const SessionTerms& terms, WisdomStore& store, std::int64_t session, Observer& observer)
    : terms_(terms), store_(store), session_(session), observer_(observer) {
  const RecordKey& key = terms_.key.record;
  const auto leave_alone = [this](const std::string& configuration, const std::string& why, int attempts) {
    left_alone_.emplace(configuration, LeftAlone{why + "; --lift-quarantine gives it another chance", attempts});
  };
  for (const QuarantineEntry& entry : store_.quarantined(key))
    leave_alone(entry.configuration.text(),
                (may_be_the_environments(entry.verdict) ? "killed its compiler in two sessions ("
                                                        : "killed two workers before (") +
                    std::string(to_text(entry.verdict)) + "): " + entry.detail,
                1);
  for (Attempt& attempt : store_.open_attempts(session_)) {
    if (attempt.alone >= most_unfinished)
      leave_alone(attempt.configuration.text(),
                  "attune itself was ended " + std::to_string(attempt.alone) + " times while it was tried",
                  attempt.begun);
    open_attempts_.push_back(std::move(attempt));
  }
  std::vector<QuarantineEntry> again = store_.second_chances(session_);
  if (terms_.request.lift_quarantine)
    for (QuarantineEntry& entry : store_.lifted(key)) again.push_back(std::move(entry));
  std::set<std::string> of_this_run;
  for (QuarantineEntry& entry : again)
    if (of_this_run.insert(entry.configuration.text()).second)
      second_chances_.push_back(std::move(entry.configuration));
  if (terms_.request.fresh) return;
  // Only successes are taken over from other sessions, because a failure there may have had its cause there.
  for (Trial& trial : store_.known_trials(key, terms_.key.space))
    if (trial.verdict == Verdict::ok) known_.emplace(trial.configuration.text(), std::move(trial));
  for (Trial& trial : store_.trials(session_)) {
    if (trial.verdict == Verdict::wrong_result) continue;
    if (trial.verdict != Verdict::ok && of_this_run.contains(trial.configuration.text())) {
      dropped_.emplace(trial.configuration.text(), std::move(trial));
      continue;
    }
    trials_.insert_or_assign(trial.configuration.text(), trial);
    earlier_.push_back(std::move(trial));
  }
}

const Trial* TrialLog::known(const std::string& configuration) const {
  const auto found = known_.find(configuration);
  return found == known_.end() ? nullptr : &found->second;
}

const Trial* TrialLog::find(const std::string& configuration) const {
  const auto found = trials_.find(configuration);
  return found == trials_.end() ? nullptr : &found->second;
}

const Trial* TrialLog::find_anchor() const {
  for (const Configuration& anchor : terms_.anchors)
    if (const Trial* const trial = find(anchor.text()); trial != nullptr && trial->verdict == Verdict::ok) return trial;
  return nullptr;
}

const LeftAlone* TrialLog::left_alone(const Configuration& configuration) const {
  const auto found = left_alone_.find(configuration.text());
  return found == left_alone_.end() ? nullptr : &found->second;
}

VerdictCounts TrialLog::verdicts() const {
  VerdictCounts counts;
  for (const auto& [text, trial] : trials_) ++counts[trial.verdict];
  return counts;
}

bool TrialLog::add(Trial trial) {
  const std::string text = trial.configuration.text();
  // The trial's row replaces the row of the dropped trial. A configuration lifted from quarantine begins anew: its
  // deaths count from 0, and two quarantine it again.
  if (const auto dropped = dropped_.extract(text); !dropped.empty()) {
    trial.attempts += dropped.mapped().attempts;
    if (!terms_.request.lift_quarantine) trial.deaths += dropped.mapped().deaths;
  }
  uncommitted_.push_back(trial);
  return trials_.insert_or_assign(text, std::move(trial)).second;
}

void TrialLog::commit() {
  if (uncommitted_.empty()) return;
  store_.add_trials(session_, uncommitted_);
  show_committed();
}

void TrialLog::show_committed() {
  for (std::size_t i = 0; i < progress_.size(); ++i) observer_.trial_done(uncommitted_[i], progress_[i]);
  uncommitted_.clear();
  progress_.clear();
  committed_at_ = std::chrono::steady_clock::now();
}

void TrialLog::commit_now_and_then() {
  if (std::chrono::steady_clock::now() - committed_at_ >= between_commits) commit();
}

std::vector<int> TrialLog::begin_attempts(const std::vector<Configuration>& configurations, bool alone,
                                          const std::atomic<int>& stop) {
  const bool shows = !uncommitted_.empty();
  std::vector<int> begun;
  for (const Attempt& attempt : store_.begin_attempts(session_, configurations, alone, uncommitted_))
    begun.push_back(attempt.begun);
  show_committed();
  if (!shows || stop.load() == 0) return begun;
  withdraw_attempts(configurations, alone);
  return {};
}

void TrialLog::withdraw_attempts(const std::vector<Configuration>& configurations, bool alone) {
  if (!configurations.empty()) store_.withdraw_attempts(session_, configurations, alone);
}

}  // namespace attune
