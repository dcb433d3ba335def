#include "session/session_run.hpp"

#include <algorithm>
#include <thread>

#include "attune/error.hpp"
#include "kernel/roofline.hpp"
#include "kernel/instantiate.hpp"
#include "search/strategy_text.hpp"

namespace attune {
namespace {

SessionKey key_of(const SessionRequest& request, const DeviceInfo& device) {
  SessionKey key;
  key.record.kernel = request.spec.name;
  key.record.code = request.spec.fingerprints.code;
  key.record.contract = request.spec.fingerprints.contract;
  key.record.device_class = device.class_key();
  key.record.problem = request.problem;
  key.record.regime = std::string(to_text(request.regime));
  key.record.objective = request.objectives.text();
  key.space = request.spec.fingerprints.space;
  key.effort = request.effort;
  key.strategy = canonical_strategy(request.strategy.empty() ? effort_plan(request.effort).strategy : request.strategy);
  return key;
}

Protocol protocol_of(const SessionRequest& request) {
  if (request.protocol) return *request.protocol;
  const Depth depth = depth_within(effort_plan(request.effort), request.limits.seconds);
  Protocol protocol;
  protocol.screen_samples = depth.screen_samples;
  protocol.confirm_most = depth.confirm_most;
  protocol.confirm_seconds = depth.confirm_seconds;
  protocol.finalists = depth.finalists;
  protocol.final_rounds_min = depth.final_rounds_min;
  protocol.final_rounds_max = depth.final_rounds_max;
  protocol.final_seconds = depth.final_seconds;
  protocol.settled_log_ratio = depth.settled_log_ratio;
  return protocol;
}

// A user who gives more time than the effort would take means it.
Budget stretched(Budget budget, const Budget& limits) {
  if (budget.seconds && limits.seconds) budget.seconds = std::max(*budget.seconds, *limits.seconds);
  return budget;
}

// Whether a search that ended so is the whole of what was asked for.
bool finishes(StopReason reason) {
  return reason == StopReason::everything_tried || reason == StopReason::effort_spent ||
         reason == StopReason::patience || reason == StopReason::target;
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

SessionResult no_survivor(std::string explanation) {
  SessionResult result;
  result.end = SessionResult::End::no_survivor;
  result.explanation = std::move(explanation);
  return result;
}

}  // namespace

SessionRun::SessionRun(const SessionRequest& request, Workers& workers, WisdomStore& store, ImageCache* images,
                       Observer& observer, const std::atomic<int>& stop)
    : request_(request),
      workers_(workers),
      store_(store),
      images_(images),
      observer_(observer),
      stop_(stop),
      opened_(open_worker(workers.device())),
      device_(opened_.info),
      lock_(opened_.own_clock ? std::filesystem::path() : request.lock_folder, lock_name(device_)),
      space_(make_space(request.spec, request.problem, device_)),
      default_(default_configuration(request.spec, space_)),
      key_(key_of(request, device_)),
      effort_(effort_plan(request.effort)),
      budget_(stretched(effort_.budget, request.limits)),
      protocol_(protocol_of(request)),
      metric_bytes_(amount_of(request.spec.metrics.bytes, request.problem)),
      metric_flops_(amount_of(request.spec.metrics.flops, request.problem)) {}

SessionResult SessionRun::run() {
  if (!default_) return no_survivor(empty_space_explanation(space_));
  check_objectives();
  if (std::optional<SessionResult> known = answer_from_database()) return *known;
  open_session();
  load_known_trials();
  load_warm_start();
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
      image_request(request_.spec, request_.spec.launch, request_.problem, &*default_, device_);
  const CompileOutcome outcome = compiler_->compile(std::span(&request, 1)).front();
  if (outcome.image) return std::nullopt;
  store_.update_session(row_.id, SessionState::partial, row_.used_seconds);
  return no_survivor("it does not compile:\n" + outcome.log);
}

void SessionRun::start_worker() {
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  const bool disturbs = compiler_->disturbs_timing();
  const unsigned threads = request_.compile_threads != 0 ? request_.compile_threads : cores;
  // While the device measures one, two per thread are being compiled or wait; a compiler that disturbs works in waves,
  // small ones first, so that even a short search sees some.
  most_ahead_ = disturbs ? threads * compiler_->preferred_batch() : 2 * std::size_t{threads} + 1;
  ahead_ = std::min(most_ahead_, 2 * std::size_t{threads} + 1);
  source_ = std::make_unique<ImageSource>(compiler_, threads);
  {
    const DeviceLock::Turn turn(lock_, stop_);
    worker_ = std::make_unique<TrialWorker>(workers_.device(), opened_, *compiler_, request_.spec, request_.problem,
                                            *default_, row_.seed);
  }

  SessionStart start;
  start.kernel = request_.spec.name;
  start.problem = request_.problem;
  start.device = device_;
  start.effort = request_.effort;
  start.strategy = key_.strategy;
  start.seed = row_.seed;
  start.legal = space_.size();
  start.cartesian = space_.cartesian_size();
  for (const std::size_t i : space_.left_out()) start.uncounted.push_back(space_.rules()[i].expression.text());
  start.by_default = *default_;
  start.trials_before = static_cast<std::int64_t>(trials_.size());
  start.warm_start = warm_started_;
  start.learnt_from = sources_;
  start.toolchain = compiler_->toolchain();
  start.self_checked = worker_->self_checked();
  observer_.session_started(start);
  for (const std::string& user : opened_.users) note_user(user);
}

SessionResult SessionRun::result_of_search(bool complete) const {
  SessionResult result;
  result.trials = static_cast<std::int64_t>(trials_.size());
  result.survivors = survivors_;
  result.reason = reason_;
  result.revivals = worker_->revivals();
  result.seconds = run_seconds();
  result.device_busy_seconds = worker_->busy_seconds();
  result.compile_wait_seconds = compile_wait_seconds_;
  result.end = reason_ == StopReason::hopeless ? SessionResult::End::stopped
               : complete                      ? SessionResult::End::finished
               : stop_.load() > 0              ? SessionResult::End::interrupted
                                               : SessionResult::End::partial;
  return result;
}

// Finished without a record: what was at fault may be corrected, and the next session tries everything anew.
void SessionRun::conclude_without_survivor(SessionResult& result, bool complete, double used) {
  if (result.end != SessionResult::End::interrupted) result.end = SessionResult::End::no_survivor;
  result.explanation = failures_explanation();
  if (reason_ == StopReason::hopeless) result.explanation += stopped_explanation();
  const bool is_over = complete || reason_ == StopReason::hopeless;
  store_.update_session(row_.id, is_over ? SessionState::finished : SessionState::partial, used);
}

SessionResult SessionRun::conclude() {
  const double used = search_seconds();
  bool complete = finishes(*reason_);
  SessionResult result = result_of_search(complete);
  if (lock_.waited_seconds() > 1)
    observer_.note("waited " + std::to_string(static_cast<int>(lock_.waited_seconds())) +
                   " s for another tuner on this device");
  source_->cancel();
  if (survivors_ == 0) {
    conclude_without_survivor(result, complete, used);
    return result;
  }
  // The session counts as finished only once its record stands: a kill in the final stage leaves it to be continued.
  store_.update_session(row_.id, SessionState::partial, used);
  if (result.end == SessionResult::End::stopped) result.explanation = failures_explanation() + stopped_explanation();
  const std::vector<Trial> chosen = near_best();
  load_images(chosen);
  const DeviceLock::Turn turn(lock_, stop_);
  finalists_ = choose_finalists(confirm(chosen));
  if (stop_.load() > 0 && result.end == SessionResult::End::finished) {  // while they were confirmed
    result.end = SessionResult::End::interrupted;
    complete = false;
  }
  result.decision = final_stage(finalists_);
  if (result.decision)
    record_winner(result, complete, used);
  else {
    result.end = SessionResult::End::interrupted;
    result.explanation = "interrupted before the energy of finalists was metered, by which `" +
                         request_.objectives.text() + "` decides; the trials are kept, and the same command goes on";
  }
  result.survivors = survivors_;  // without those that failed among the best
  result.revivals = worker_->revivals();
  result.timed_seconds = worker_->timed_seconds();
  result.filling_seconds = worker_->filling_seconds();
  return result;
}

void SessionRun::record_winner(SessionResult& result, bool complete, double used) {
  Record record = make_record(*result.decision, finalists_[result.decision->winner]);
  record.partial = !complete;
  const bool met_present = present_ && std::any_of(finalists_.begin(), finalists_.end(), [this](const Trial& trial) {
                             return trial.configuration == present_->configuration;
                           });
  keep_record(std::move(record), met_present);
  if (complete) store_.update_session(row_.id, SessionState::finished, used);
  result.record = store_.find_record(key_.record);
  if (result.record) result.finalists = store_.finalists(result.record->uuid);
}

SessionResult run_session(const SessionRequest& request, Workers& workers, WisdomStore& store, ImageCache* images,
                          Observer& observer, const std::atomic<int>& stop) {
  return SessionRun(request, workers, store, images, observer, stop).run();
}

SessionResult run_session(const SessionRequest& request, Device& device, WisdomStore& store, ImageCache* images,
                          Observer& observer, const std::atomic<int>& stop) {
  LocalWorkers workers(device);
  return run_session(request, workers, store, images, observer, stop);
}

}  // namespace attune
