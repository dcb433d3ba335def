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
    : terms_(terms), store_(store), session_(session), observer_(observer), candidates_(terms.space) {
  const RecordKey& key = terms_.key.record;
  const auto ban = [this](const Configuration& configuration, const std::string& why, int attempts) {
    Candidate& candidate = candidates_.at(configuration);
    if (!candidate.ban) candidate.ban = {why + "; --lift-quarantine gives it another chance", attempts};
  };
  for (const QuarantineEntry& entry : store_.quarantined(key))
    ban(entry.configuration,
        (may_be_the_environments(entry.verdict) ? "killed its compiler in two sessions ("
                                                : "killed two workers before (") +
            std::string(to_text(entry.verdict)) + "): " + entry.detail,
        1);
  for (Attempt& attempt : store_.open_attempts(session_)) {
    if (attempt.alone >= most_unfinished)
      ban(attempt.configuration,
          "attune itself was ended " + std::to_string(attempt.alone) + " times while it was tried", attempt.begun);
    open_attempts_.push_back(std::move(attempt));
  }
  std::vector<QuarantineEntry> again = store_.second_chances(session_);
  if (terms_.request.lift_quarantine)
    for (QuarantineEntry& entry : store_.lifted(key)) again.push_back(std::move(entry));
  std::set<std::string> of_this_run;
  for (QuarantineEntry& entry : again)
    if (of_this_run.insert(entry.configuration.text()).second)
      second_chances_.push_back(std::move(entry.configuration));
  if (!terms_.request.fresh) know_elsewhere();
  for (Trial& trial : store_.trials(session_)) {
    if (trial.verdict == Verdict::wrong_result) continue;
    Candidate& candidate = candidates_.at(trial.configuration);
    if (trial.verdict != Verdict::ok && of_this_run.contains(trial.configuration.text())) {
      candidate.replaced = std::make_unique<const Trial>(std::move(trial));
      continue;
    }
    size_ += !candidate.trial;
    candidate.trial = trial;
    candidates_.set(candidate, Candidate::State::tried);
    earlier_.push_back(std::move(trial));
  }
}

// Only successes are taken over from other sessions, because a failure there may have had its cause there.
void TrialLog::know_elsewhere() {
  for (Trial& trial : store_.known_trials(terms_.key.record, terms_.key.space))
    if (Candidate& one = candidates_.at(trial.configuration); trial.verdict == Verdict::ok && !one.elsewhere)
      one.elsewhere = std::make_unique<const Trial>(std::move(trial));
}

std::vector<const Trial*> TrialLog::trials() const {
  std::vector<const Trial*> trials;
  candidates_.for_each([&](const Candidate& candidate) {
    if (candidate.trial) trials.push_back(&*candidate.trial);
  });
  return trials;
}

const Trial* TrialLog::find(const Configuration& configuration) const {
  const Candidate* const found = candidates_.find(configuration.text());
  return found == nullptr || !found->trial ? nullptr : &*found->trial;
}

const Trial* TrialLog::find_anchor() const {
  for (const Configuration& anchor : terms_.anchors)
    if (const Trial* const trial = find(anchor); trial != nullptr && trial->verdict == Verdict::ok) return trial;
  return nullptr;
}

VerdictCounts TrialLog::verdicts() const {
  VerdictCounts counts;
  for (const Trial* const trial : trials()) ++counts[trial->verdict];
  return counts;
}

bool TrialLog::add(Trial trial) {
  Candidate& candidate = candidates_.at(trial.configuration);
  // The trial's row replaces the row of an earlier one. A configuration lifted from quarantine begins anew: its deaths
  // count from 0, and two quarantine it again.
  if (const auto replaced = std::move(candidate.replaced)) {
    trial.attempts += replaced->attempts;
    if (!terms_.request.lift_quarantine) trial.deaths += replaced->deaths;
  }
  uncommitted_.push_back(trial);
  const bool is_new = !candidate.trial;
  candidate.trial = std::move(trial);
  candidates_.set(candidate, Candidate::State::tried);
  size_ += is_new;
  return is_new;
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
