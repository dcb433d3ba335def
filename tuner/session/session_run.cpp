#include "session/session_run.hpp"

#include <unistd.h>

#include <algorithm>
#include <random>
#include <thread>

#include "attune/error.hpp"
#include "attune/version.hpp"
#include "core/instantiate.hpp"

namespace attune {
namespace {

std::int64_t now_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

std::string host_name() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "";
}

SessionKey key_of(const SessionRequest& request, const DeviceInfo& device) {
  SessionKey key;
  key.record.kernel = request.spec.name;
  key.record.code = request.spec.fingerprints.code;
  key.record.contract = request.spec.fingerprints.contract;
  key.record.device_class = device.class_key();
  key.record.problem = request.problem;
  key.space = request.spec.fingerprints.space;
  key.effort = request.effort;
  key.strategy = request.strategy.empty() ? std::string(effort_plan(request.effort).strategy) : request.strategy;
  return key;
}

// Where to look when no configuration is legal.
std::string empty_space_explanation(const SearchSpace& space) {
  std::string text = space.empty() ? "no configuration is legal" : "no legal configuration was found";
  text += "; of " + to_text(space.cartesian_size()) + " combinations each rule alone removes:";
  for (const RuleEffect& effect : space.effects()) {
    if (effect.removed_alone <= 0) continue;
    char share[32];
    std::snprintf(share, sizeof share, "\n  %s%6.2f %%  ", effect.exact ? "" : "about ", 100 * effect.removed_alone);
    text += share + effect.rule + (effect.implied ? "  (a limit of the device)" : "");
  }
  return text;
}

}  // namespace

SessionRun::SessionRun(const SessionRequest& request, Device& device, WisdomStore& store, ImageCache* images,
                       Observer& observer, const std::atomic<int>& stop)
    : request_(request),
      device_(device),
      store_(store),
      images_(images),
      observer_(observer),
      stop_(stop),
      space_(make_space(request.spec, request.problem, device.info())),
      default_(default_configuration(request.spec, space_)),
      key_(key_of(request, device.info())),
      effort_budget_(effort_plan(request.effort).budget) {}

SessionResult SessionRun::run() {
  if (!default_)
    return {.end = SessionResult::End::no_survivor,
            .record = {},
            .decision = {},
            .explanation = empty_space_explanation(space_)};
  strategy_ = strategy_named(key_.strategy).make(space_, request_.seed.value_or(0));
  if (std::optional<SessionResult> known = answer_from_database()) return *known;
  open_session();
  load_known_trials();
  try {
    start_worker();
  } catch (const ReferenceDoesNotCompile&) {
    // A file that does not compile at all is told as what it is; otherwise the reference alone is at fault.
    const std::optional<SessionResult> broken = nothing_compiles();
    if (!broken) throw;
    return *broken;
  }
  search();
  return conclude();
}

std::optional<SessionResult> SessionRun::nothing_compiles() {
  const ImageRequest request =
      image_request(request_.spec, request_.spec.launch, request_.problem, &*default_, device_.info());
  const CompileOutcome outcome = compiler_->compile(std::span(&request, 1)).front();
  if (outcome.image) return std::nullopt;
  store_.update_session(row_.id, SessionState::partial, row_.used_seconds);
  SessionResult result;
  result.end = SessionResult::End::no_survivor;
  result.explanation = "it does not compile:\n" + outcome.log;
  return result;
}

std::optional<SessionResult> SessionRun::answer_from_database() {
  present_ = store_.find_record(key_.record);
  if (request_.fresh || !present_) return std::nullopt;
  const std::optional<SessionRow> session = store_.find_session(key_);
  const bool same_seed = !request_.seed || (session && session->seed == *request_.seed);
  const bool same_finished = session && session->state == SessionState::finished && same_seed;
  // Effort subsumes: what was found with more, or as much by another strategy, answers a request for less.
  const bool covered = request_.strategy.empty() && !request_.seed && !present_->partial &&
                       present_->effort >= request_.effort && present_->space == key_.space;
  if (!same_finished && !covered) return std::nullopt;
  SessionResult result;
  result.end = SessionResult::End::known;
  result.record = present_;
  result.trials = session ? session->trials : present_->trials;
  return result;
}

void SessionRun::open_session() {
  compiler_ = device_.compiler();
  std::optional<SessionRow> former = request_.fresh ? std::nullopt : store_.find_session(key_);
  const bool same_seed = former && (!request_.seed || former->seed == *request_.seed);
  if (former && former->state != SessionState::finished && same_seed) {
    row_ = *former;
  } else {
    row_ = SessionRow{};
    row_.key = key_;
    row_.seed = request_.seed.value_or(std::random_device{}());
    row_.toolchain = compiler_->toolchain();
    row_.driver = device_.info().driver;
    row_.device_uuid = device_.info().uuid;
    row_.host = host_name();
    row_.attune_version = kVersion;
    row_.protocol = to_json(request_.protocol);
    row_.started_ms = now_ms();
    row_.id = store_.begin_session(row_, device_.info());
  }
  strategy_ = strategy_named(key_.strategy).make(space_, row_.seed);
}

void SessionRun::load_known_trials() {
  if (request_.fresh) return;
  // A failure elsewhere may have had its cause elsewhere: only what worked is taken over from other sessions.
  for (Trial& trial : store_.known_trials(key_.record, key_.space))
    if (trial.verdict == Verdict::ok) log_.emplace(trial.configuration.text(), std::move(trial));
  for (Trial& trial : store_.trials(row_.id)) {
    // What is right is judged by [check] and [[reference]], which may have been corrected since.
    if (trial.verdict == Verdict::wrong_result) continue;
    strategy_->tell(trial);
    if (trial.verdict == Verdict::ok) ++survivors_;
    if (trial.verdict == Verdict::ok && (best_score_ == 0 || score(trial) < best_score_)) {
      best_score_ = score(trial);
      best_ = trial.configuration;
    }
    const std::string text = trial.configuration.text();
    trials_.insert_or_assign(text, std::move(trial));
  }
}

void SessionRun::start_worker() {
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  const bool disturbs = compiler_->disturbs_timing();
  const unsigned threads = request_.compile_threads != 0 ? request_.compile_threads
                           : disturbs                    ? cores
                                                         : std::max(1u, cores - 1);
  // While the device measures one, two per thread are being compiled or wait; a compiler that disturbs works in waves,
  // small ones first, so that even a short search sees some.
  most_ahead_ = disturbs ? threads * compiler_->preferred_batch() : 2 * std::size_t{threads} + 1;
  ahead_ = std::min(most_ahead_, 2 * std::size_t{threads} + 1);
  source_ = std::make_unique<ImageSource>(compiler_, threads);
  worker_ = std::make_unique<TrialWorker>(device_, *compiler_, request_.spec, request_.problem, *default_, row_.seed);

  SessionStart start;
  start.kernel = request_.spec.name;
  start.problem = request_.problem;
  start.device = device_.info();
  start.effort = request_.effort;
  start.strategy = key_.strategy;
  start.seed = row_.seed;
  start.legal = space_.size();
  start.cartesian = space_.cartesian_size();
  for (const std::size_t i : space_.left_out()) start.uncounted.push_back(space_.rules()[i].expression.text());
  start.by_default = *default_;
  start.trials_before = static_cast<std::int64_t>(trials_.size());
  start.toolchain = compiler_->toolchain();
  start.self_checked = worker_->self_checked();
  observer_.session_started(start);
}

SessionResult SessionRun::conclude() {
  SessionResult result;
  result.trials = static_cast<std::int64_t>(trials_.size());
  result.survivors = survivors_;
  const double used = search_seconds();
  const bool complete = exhausted_ || effort_budget_.spent(used, result.trials);
  result.end = complete           ? SessionResult::End::finished
               : stop_.load() > 0 ? SessionResult::End::interrupted
                                  : SessionResult::End::partial;
  source_->cancel();
  if (survivors_ == 0) {
    if (result.end != SessionResult::End::interrupted) result.end = SessionResult::End::no_survivor;
    result.explanation = no_survivor_explanation();
    // Finished without a record: what was at fault may be corrected, and the next session tries everything anew.
    store_.update_session(row_.id, complete || hopeless() ? SessionState::finished : SessionState::partial, used);
    return result;
  }
  // The session counts as finished only once its record stands: a kill in the final stage leaves it to be continued.
  store_.update_session(row_.id, SessionState::partial, used);
  finalists_ = choose_finalists();
  result.decision = final_stage(finalists_);
  Record record = make_record(*result.decision, finalists_[result.decision->winner]);
  record.partial = !complete;
  const bool met_present = present_ && std::any_of(finalists_.begin(), finalists_.end(), [this](const Trial& trial) {
                             return trial.configuration == present_->configuration;
                           });
  keep_record(std::move(record), met_present);
  if (complete) store_.update_session(row_.id, SessionState::finished, used);
  result.record = store_.find_record(key_.record);
  return result;
}

SessionResult run_session(const SessionRequest& request, Device& device, WisdomStore& store, ImageCache* images,
                          Observer& observer, const std::atomic<int>& stop) {
  return SessionRun(request, device, store, images, observer, stop).run();
}

}  // namespace attune
