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
    : terms_(terms), store_(store), session_(session), observer_(observer), candidates_(terms.space), writer_(store) {
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
  verdicts_.push_back(trial);
  const bool is_new = !candidate.trial;
  candidate.trial = std::move(trial);
  candidates_.set(candidate, Candidate::State::tried);
  size_ += is_new;
  return is_new;
}

void TrialLog::commit() {
  if (!verdicts_.empty()) push({}, false);
  with_writer([this] { writer_.wait_for_all(); });
  show_durable();
}

void TrialLog::hand_over() {
  show_durable();
  if (pending_.empty() && !verdicts_.empty()) push({}, false);
}

void TrialLog::hand_over_now_and_then() {
  show_durable();
  if (std::chrono::steady_clock::now() - committed_at_ >= between_commits) hand_over();
}

void TrialLog::write(StoreWriter::Write write) {
  with_writer([&] { writer_.push(std::move(write)); });
}

// Does a step that throws what the writer failed with. What the writer has dropped is then taken back.
template <typename Step>
void TrialLog::with_writer(const Step& step) {
  try {
    step();
  } catch (...) {
    take_back();
    throw;
  }
}

void TrialLog::push(std::vector<Configuration> configurations, bool alone) {
  Commit& commit = pending_.emplace_back();
  commit.verdicts = std::exchange(verdicts_, {});
  commit.progress = std::exchange(progress_, {});
  commit.configurations = std::move(configurations);
  with_writer([&] {
    commit.number = writer_.push([session = session_, alone, &commit](WisdomStore& store) {
      if (commit.configurations.empty())
        store.add_trials(session, commit.verdicts);
      else
        commit.begun = store.begin_attempts(session, commit.configurations, alone, commit.verdicts);
    });
  });
}

// Shows the trials that are durable, and numbers the attempts. Returns whether there were trials to show.
bool TrialLog::show_durable() {
  bool shows = false;
  for (const std::uint64_t done = writer_.done(); !pending_.empty() && pending_.front().number <= done;) {
    shows |= !pending_.front().verdicts.empty();
    Commit commit = std::move(pending_.front());
    pending_.pop_front();
    committed_at_ = std::chrono::steady_clock::now();
    show(std::move(commit));
  }
  with_writer([this] { writer_.check(); });
  return shows;
}

void TrialLog::show(Commit commit) {
  for (const Attempt& attempt : commit.begun) candidates_.at(attempt.configuration).attempt = attempt.begun;
  for (std::size_t i = 0; i < commit.progress.size(); ++i) observer_.trial_done(commit.verdicts[i], commit.progress[i]);
}

// Takes back what the writer dropped: verdicts are handed over again by the next call, attempts have not begun.
void TrialLog::take_back() {
  std::vector<Trial> verdicts;
  std::vector<Progress> progress;
  const std::uint64_t done = writer_.done();
  for (Commit& commit : std::exchange(pending_, {})) {
    if (commit.number != 0 && commit.number <= done) {
      show(std::move(commit));
      continue;
    }
    verdicts.insert(verdicts.end(), commit.verdicts.begin(), commit.verdicts.end());
    progress.insert(progress.end(), commit.progress.begin(), commit.progress.end());
    for (const Configuration& one : commit.configurations) candidates_.set(candidates_.at(one), Candidate::State::met);
  }
  verdicts_.insert(verdicts_.begin(), verdicts.begin(), verdicts.end());
  progress_.insert(progress_.begin(), progress.begin(), progress.end());
}

void TrialLog::begin_attempts(const std::vector<Candidate*>& begun, bool alone) {
  std::vector<Configuration> configurations;
  for (Candidate* const candidate : begun) {
    configurations.push_back(candidate->configuration);
    candidate->attempt = 0;
    candidates_.set(*candidate, Candidate::State::begun);
  }
  push(std::move(configurations), alone);
}

bool TrialLog::await_attempt(const Candidate& candidate, const std::atomic<int>& stop) {
  bool shows = show_durable();
  while (candidate.attempt == 0 && !pending_.empty()) {
    with_writer([this] { writer_.wait_for(pending_.front().number); });
    shows |= show_durable();
  }
  return !shows || stop.load() == 0;
}

void TrialLog::withdraw_attempts(const std::vector<Configuration>& configurations, bool alone) {
  if (configurations.empty()) return;
  with_writer([&] {
    writer_.wait_for(writer_.push(
        [&, session = session_](WisdomStore& store) { store.withdraw_attempts(session, configurations, alone); }));
  });
}

}  // namespace attune
