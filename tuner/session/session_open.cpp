// What the database knows at the start: an answer, a session to go on with, trials, what to try first.
#include <unistd.h>

#include <random>

#include "attune/version.hpp"
#include "core/unix_ms.hpp"
#include "session/session_run.hpp"
#include "session/warm_start.hpp"

namespace attune {
namespace {

// Sessions elsewhere that a strategy learns from, and the trials that make one worth it.
constexpr std::size_t most_sources = 8, least_experience = 5;

// A configuration that was under way so often when the whole session was killed is left alone: it may be what does it.
constexpr int most_unfinished = 3;

std::string host_name() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "";
}

}  // namespace

std::optional<SessionResult> SessionRun::answer_from_database() {
  present_ = store_.find_record(key_.record);
  if (request_.fresh || !present_) return std::nullopt;
  const std::optional<SessionRow> session = store_.find_session(key_);
  const bool same_seed = !request_.seed || (session && session->seed == *request_.seed);
  const bool same_finished = session && session->state == SessionState::finished && same_seed;
  // Effort subsumes: what was found with more, or as much by another strategy, answers a request for less.
  const bool covered = request_.strategy.empty() && !request_.seed && !present_->partial &&
                       present_->effort >= request_.effort && present_->space == key_.space;
  // A target is the user's word on what is enough, and on what is not.
  const std::optional<Target>& target = request_.limits.target;
  const bool good_enough = !target || target->met(present_->median_ns, present_->default_ns / present_->median_ns);
  const bool any_will_do = target && request_.strategy.empty() && !request_.seed && present_->space == key_.space;
  if (!good_enough || (!same_finished && !covered && !any_will_do)) return std::nullopt;
  SessionResult result;
  result.end = SessionResult::End::known;
  result.record = present_;
  result.finalists = store_.finalists(present_->uuid);
  result.trials = session ? session->trials : present_->trials;
  return result;
}

void SessionRun::open_session() {
  compiler_ = workers_.compiler();
  std::optional<SessionRow> former = request_.fresh ? std::nullopt : store_.find_session(key_);
  const bool same_seed = former && (!request_.seed || former->seed == *request_.seed);
  if (former && former->state != SessionState::finished && same_seed) {
    row_ = *former;
  } else {
    row_ = SessionRow{};
    row_.key = key_;
    row_.seed = request_.seed.value_or(std::random_device{}());
    row_.toolchain = compiler_->toolchain();
    row_.driver = device_.driver;
    row_.device_uuid = device_.uuid;
    row_.host = host_name();
    row_.attune_version = kVersion;
    row_.protocol = to_json(protocol_);
    row_.started_ms = unix_ms();
    row_.id = store_.begin_session(row_, device_);
  }
  load_killers();
  strategy_ = make_strategy(key_.strategy, space_, row_.seed);
  proposals_ = std::make_unique<Proposals>(space_, *strategy_, key_.strategy);
}

// What killed workers, in this session or another; and what was under way each time that this session was killed.
void SessionRun::load_killers() {
  if (request_.lift_quarantine) store_.lift_quarantine(key_.record);
  for (const QuarantineEntry& entry : store_.quarantined(key_.record))
    killers_.emplace(entry.configuration,
                     "killed two workers before (" + std::string(to_text(entry.verdict)) + "): " + entry.detail);
  for (const Attempt& attempt : store_.open_attempts(row_.id)) {
    deaths_[attempt.configuration] = attempt.deaths;
    begun_[attempt.configuration] = attempt.begun;
    if (attempt.begun >= most_unfinished)
      killers_.emplace(attempt.configuration,
                       "attune itself was ended " + std::to_string(attempt.begun) + " times while it was tried");
  }
}

void SessionRun::load_known_trials() {
  if (request_.fresh) return;
  // A failure elsewhere may have had its cause elsewhere: only what worked is taken over from other sessions.
  for (Trial& trial : store_.known_trials(key_.record, key_.space))
    if (trial.verdict == Verdict::ok) log_.emplace(trial.configuration.text(), std::move(trial));
  for (Trial& trial : store_.trials(row_.id)) {
    // What is right is judged by [check] and [[reference]], which may have been corrected since.
    if (trial.verdict == Verdict::wrong_result) continue;
    tell_strategy(trial);
    if (trial.verdict == Verdict::ok) ++survivors_;
    if (trial.verdict == Verdict::ok && (best_score_ == 0 || score(trial) < best_score_)) {
      keep_best(trial);
      improvement_.know(best_score_);
    }
    const std::string text = trial.configuration.text();
    trials_.insert_or_assign(text, std::move(trial));
  }
}

void SessionRun::load_warm_start() {
  if (request_.cold_start) return;
  const MatchRequest wanted{request_.spec,      request_.problem,   device_,
                            request_.spec.name, key_.record.regime, key_.record.objective};
  std::vector<Record> ranked = ranked_for_warm_start(wanted, store_.candidates(key_.record));
  // A strategy that learns from all trials of a session elsewhere need not be shown its winner too.
  std::erase_if(ranked, [this](const Record& record) { return learnt_from(record); });
  std::vector<Row> rows = warm_start(ranked, space_);
  std::erase(rows, space_.row_of(*default_));  // goes first in any case
  warm_started_ = proposals_->warm_start(rows);
}

// Of the problem and device at hand, what is known is told as it is.
bool SessionRun::learnt_from(const Record& record) {
  const bool is_here = record.key.device_class == key_.record.device_class && record.key.problem == key_.record.problem;
  if (is_here || record.space != key_.space || sources_ == most_sources) return false;
  const Experience experience = experience_of(record.device_name + ", " + record.key.problem.text(),
                                              store_.known_trials(record.key, record.space), space_);
  if (experience.trials.size() < least_experience || !strategy_->learn_from(experience)) return false;
  ++sources_;
  return true;
}

}  // namespace attune
