#include "session/search.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "attune/error.hpp"
#include "base/usable_processors.hpp"
#include "device/cuda/launched_log.hpp"
#include "session/compiler_remarks.hpp"
#include "session/failed_trial.hpp"

namespace attune {
namespace {

// The most proposals under way per image that is compiled ahead.
constexpr std::size_t most_sharing = 8;

// The most attempts that begin in one transaction, because a commit may take longer than a trial.
constexpr std::size_t most_begun = 16;

// How many jobs the device has when the attempts of later trials are committed: a commit takes about as long as these
// jobs.
constexpr std::size_t jobs_to_commit_beside = 3;

// Trials of kernels longer than this last longer than a commit.
constexpr double short_kernel_ns = 1e6;
constexpr unsigned depth_of_longer = 2;

// A result waits this long for the next image before it is taken. As long as images come sooner, what the strategy
// knows at each question does not depend on speed. If the device has a clock of its own, real time costs nothing.
constexpr double hold_seconds = 0.25, hold_seconds_own_clock = 2;

// Verdicts become durable after this time if the device waits for an image, or if a trial takes longer.
constexpr double idle_seconds = 0.05;

}  // namespace

Search::Search(SessionParts& parts, Proposals& proposals, std::function<void(double)> saved)
    : on_(parts), proposals_(proposals), saved_(std::move(saved)), compiler_(parts.pool.compiler()) {
  const auto cores = static_cast<unsigned>(usable_processors());
  const unsigned wanted = on_.terms.request.compile_threads;
  const unsigned threads = threads_ = wanted != 0 ? wanted : cores;
  on_.pool.set_compilers(threads);
  on_.pool.start_compilers();
  // While the device measures one proposal, two per thread are being compiled or wait. A compiler that disturbs timing
  // works in waves; the first waves are small, so that even a short search tries some.
  most_ahead_ = is_wave() ? threads * compiler_.preferred_batch : 2 * std::size_t{threads} + 1;
  ahead_ = std::min(most_ahead_, 2 * std::size_t{threads} + 1);
  untold_ = on_.log.earlier();
  tell_strategy();
}

// Returns whether compiling and trying alternate in waves.
bool Search::is_wave() const { return compiler_.disturbs_timing; }

// Waiting for another tuner's turn does not count.
double Search::seconds() const {
  return began_ ? on_.bench.seconds() - *began_ - on_.bench.turn().waited_seconds() : 0;
}

// The depth must not depend on speed, since proposals depend on it. A device with a clock of its own, such as a
// recording, has no commits to wait for in that time.
std::size_t Search::depth() const {
  const bool is_short = on_.bench.anchor_ns() < short_kernel_ns && !on_.terms.opened.own_clock;
  return is_short ? on_.terms.request.depth : std::min(on_.terms.request.depth, depth_of_longer);
}

std::optional<StopReason> Search::stop_reason() const {
  if (on_.stop.load() > 0) return StopReason::interrupt;
  return on_.progress.stop_reason(seconds(), on_.bench.anchor_ns());
}

StopReason Search::run() {
  try {
    loop();
    on_.bench.turn().end();
    on_.log.commit();
  } catch (...) {  // from a strategy that fails or a compiler that is broken; what was tried by then is kept
    settle_after_failure();
    throw;
  }
  std::optional<StopReason> reason = stop_reason();
  if (!reason) return StopReason::everything_tried;
  // A limit may be reached together with the last configuration.
  const bool limited = reason == StopReason::time || reason == StopReason::trials;
  if (limited && on_.source.outstanding() == 0 && proposals_.is_exhausted()) return StopReason::everything_tried;
  return *reason;
}

void Search::settle_after_failure() noexcept {
  const auto succeeds = [](const auto& step) {
    try {
      step();
      return true;
    } catch (const std::exception&) {  // the first failure is the one to report
      return false;
    }
  };
  for (std::size_t left = sent_.size(); left > 0 && !on_.pool.has_lost_device(); left = sent_.size())
    if (!succeeds([this] { finish_front(); }) && sent_.size() == left) break;
  // The trial during which the device was lost keeps its attempt.
  succeeds([this] { withdraw_from(1); });
  succeeds([this] { on_.log.commit(); });
}

// Takes back the attempts from the position `first` of the queue on, and those whose trials were not sent, because
// nothing came of them.
void Search::withdraw_from(std::size_t first) {
  std::vector<Configuration> among_others, alone;
  for (std::size_t i = first; i < sent_.size(); ++i)
    if (sent_[i].has_attempt) (sent_[i].is_alone ? alone : among_others).push_back(sent_[i].instance->configuration);
  for (const auto& [id, number] : begun_) among_others.push_back(under_way_.at(id)->configuration);
  on_.log.withdraw_attempts(among_others, false);
  on_.log.withdraw_attempts(alone, true);
  begun_.clear();
  sent_.clear();
}

void Search::loop() {
  began_ = on_.bench.seconds() - on_.bench.turn().waited_seconds();
  // The anchor is needed if there are survivors, because they are to end in a record.
  on_.bench.limit_anchor(on_.progress.run_seconds(), on_.progress.survivors() > 0);
  try_first();
  for (;;) {
    const bool has_ended = stop_reason().has_value();
    // A trial that ends may be an improvement, after which the search goes on. If there are no trials under way, the
    // anchor is being timed, and nothing may disturb that.
    if ((has_ended || under_way_.empty()) && !sent_.empty()) {
      finish_front();
      continue;
    }
    if (has_ended) break;
    if (is_wave() ? under_way_.empty() : !std::exchange(thought_, false) || under_way_.empty()) {
      think();
      if (is_wave() && !under_way_.empty()) ahead_ = std::min(2 * ahead_, most_ahead_);
    }
    if (under_way_.empty()) break;  // nothing is left, or trials answered from the log ended the search
    step();
  }
  withdraw_from(sent_.size());
  tell_strategy();
}

// Has one trial begin or end.
void Search::step() {
  const bool gives_way = on_.bench.turn().others_wait();
  const bool may_start = sent_.size() < depth() && !gives_way && on_.source.outstanding() > 0;
  if (!may_start && !sent_.empty()) {
    thought_ = true;
    finish_front();
    if (gives_way && sent_.empty()) on_.bench.turn().end();
    return;
  }
  if (gives_way) on_.bench.turn().end();
  if (std::optional<CompiledInstance> compiled = take_image()) start(std::move(*compiled), false);
}

// Takes the pool's next result. Returns whether there was one within `seconds`.
bool Search::take_result(double seconds) {
  std::optional<Result> result = on_.pool.next(on_.stop, seconds);
  if (result && !on_.source.arrive(*result)) arrived_.emplace(result->ticket, std::move(*result));
  return result.has_value();
}

// Returns whether the search waits for no image any more. A configuration that is to be the anchor has a little time in
// any case.
bool Search::is_over() const {
  if (on_.stop.load() > 0) return true;
  if (tried_first_) return stop_reason().has_value();
  if (on_.bench.anchor_ns() == 0) return stop_reason() && on_.bench.anchor_seconds_left() <= 0;
  return on_.progress.limit_reached(seconds(), on_.bench.anchor_ns()).has_value();
}

// Waits for the next image. Returns nothing if the search has ended, or if it took a result instead.
std::optional<CompiledInstance> Search::take_image() {
  const auto is_ready = [this] {
    return is_wave() ? !on_.source.is_waiting() && on_.source.is_ready() : on_.source.is_ready();
  };
  if (is_ready()) return on_.source.take();
  using Clock = std::chrono::steady_clock;
  std::optional<Clock::time_point> idle_since;  // since when the device has nothing to do
  const bool is_idle = sent_.empty();
  const double most_hold = on_.terms.opened.own_clock ? hold_seconds_own_clock : hold_seconds;
  const double hold = is_idle ? idle_seconds : most_hold;
  if (is_idle) on_.bench.turn().end();
  while (!is_ready()) {
    if (!idle_since && arrived_.size() >= sent_.size()) idle_since = Clock::now();
    const bool has_result = take_result(hold);
    if (!has_result && is_over()) break;
    if (!has_result && is_idle) on_.log.commit();
    if (has_result || is_idle || !arrived_.contains(sent_.front().ticket)) continue;
    finish_front();
    on_.log.commit();
    break;
  }
  if (idle_since) compile_wait_seconds_ += std::chrono::duration<double>(Clock::now() - *idle_since).count();
  if (!is_ready()) return std::nullopt;
  return on_.source.take();
}

void Search::tell_strategy() {
  for (const Trial& trial : std::exchange(untold_, {})) {
    // Trials of a wider space, and trials made only by the final stage, may lie outside the space.
    const std::optional<Row> row = on_.terms.space.row_of(trial.configuration);
    if (!row || !on_.terms.space.contains(*row)) continue;
    const bool valid = trial.verdict == Verdict::ok;
    proposals_.tell(*row, {valid, valid ? on_.progress.score(trial) : 0, trial.compile_ms * 1e-3});
  }
}

// Returns whether the strategy is to be asked once more. Configurations that share an image are no work for the
// compilers, which must not wait while the device does. In waves, all proposals count.
bool Search::wants_more(std::size_t asked) const {
  if (under_way_.size() < ahead_) return true;
  if (asked >= most_sharing) return false;  // the device needs no more that share an image: it has others
  const bool compilers_idle = on_.source.compiling() < ahead_ && on_.source.ready() < ahead_ / 2;
  return !is_wave() && tried_first_ && compilers_idle && under_way_.size() < most_sharing * ahead_;
}

// Tells the strategy the outcomes and asks it until enough is under way. The strategy may take its time, because the
// device is at work meanwhile if possible. It thinks once per trial, so that what it proposes does not depend on speed.
void Search::think() {
  tell_strategy();
  for (std::size_t asked = 0; wants_more(asked) && !stop_reason(); ++asked) {
    const auto begun = on_.progress.run_trials() + static_cast<std::int64_t>(under_way_.size());
    if (on_.terms.request.limits.trials && begun >= *on_.terms.request.limits.trials) return;
    const std::optional<Row> row = proposals_.next();
    if (!row) return;
    const Configuration next = on_.terms.space.configuration(*row);
    const Trial* const known = on_.log.known(next.text());
    if (known != nullptr)
      finish_trial(*known, true);
    else
      propose(next);
    tell_strategy();
  }
}

// Proposes a configuration to the compilers. If part of it cannot be resolved (a scalar that does not fit its type, an
// undefined size), only this trial fails.
void Search::propose(const Configuration& configuration) {
  Trial trial;
  trial.configuration = configuration;
  trial.self_checked = on_.bench.is_self_checked();
  std::shared_ptr<const Instance> instance;
  Status status;
  try {
    instance = on_.terms.instance(on_.next_instance(), configuration);
    describe(trial, *instance, nullptr, trial.self_checked);
  } catch (const Error& error) {
    status = {Verdict::launch_error, error.what(), false};
  }
  if (const LeftAlone* const left_alone = on_.log.left_alone(configuration)) {
    status = {Verdict::quarantined, left_alone->why, false};
    trial.attempts = left_alone->attempts;
  }
  if (!status.ok()) return finish_trial(failed_trial(std::move(trial), status), false);
  on_.source.ask(instance);
  under_way_.emplace(instance->id, std::move(instance));
}

// Sends a compiled trial to the bench. With `is_alone`, nothing else will be under way before the trial ends.
void Search::start(CompiledInstance compiled, bool is_alone) {
  const Instance& instance = *compiled.instance;
  Sent sent{{}, compiled.instance, std::move(compiled.outcome), is_alone || on_.terms.request.depth == 1};
  if (!sent.outcome.image) {
    Trial trial;
    trial.compile_ms = sent.outcome.milliseconds;
    trial.deaths = compiled.deaths;
    describe(trial, instance, nullptr, on_.bench.is_self_checked());
    return finish_tried(sent, failed_trial(std::move(trial), {sent.outcome.verdict, sent.outcome.log, false}));
  }
  on_.bench.turn().take();
  int attempt = 1;
  // In a continued session the default may be launched only as the anchor. It needs no attempt, because it has its
  // verdict.
  sent.has_attempt = on_.log.find(instance.text) == nullptr;
  if (sent.has_attempt) {
    if (!begun_.contains(instance.id) && !begin_attempts(&instance, sent.is_alone)) {
      under_way_.erase(instance.id);
      return;
    }
    attempt = begun_.extract(instance.id).mapped();
  }
  const double incumbent_ns = on_.progress.incumbent_ns(on_.bench.anchor_ns());
  if (on_.bench.anchor_ns() == 0 && on_.terms.may_be_anchor(instance.configuration)) {
    return finish_tried(sent, try_as_anchor(sent, attempt));
  }
  sent.ticket = on_.bench.submit_try(instance, *sent.outcome.image, attempt, incumbent_ns);
  sent_.push_back(std::move(sent));
  // Compiles that would be asked for now must not disturb the trial's samples.
  if (is_wave() || is_alone) return;
  if (sent_.size() >= std::min(jobs_to_commit_beside, depth())) begin_attempts(nullptr, false);
  think();
  thought_ = true;
}

// Begins attempts for `first` and for the trials that wait only for their turn, because their images are there. With a
// null `first`, begins attempts only if the next trial has none. Returns false if an observer requested a stop, or if
// there is nothing to begin.
bool Search::begin_attempts(const Instance* first, bool is_alone) {
  while (take_result(0)) continue;
  std::vector<const Instance*> chosen = on_.source.upcoming(is_alone ? 0 : most_begun - 1);
  if (first != nullptr) chosen.insert(chosen.begin(), first);
  if (chosen.empty() || begun_.contains(chosen.front()->id)) return false;
  std::erase_if(chosen,
                [this](const Instance* one) { return begun_.contains(one->id) || on_.log.find(one->text) != nullptr; });
  std::vector<Configuration> configurations;
  for (const Instance* one : chosen) configurations.push_back(one->configuration);
  const std::vector<int> numbers = on_.log.begin_attempts(configurations, is_alone, on_.stop);
  for (std::size_t i = 0; i < numbers.size(); ++i) begun_.emplace(chosen[i]->id, numbers[i]);
  return !numbers.empty();
}

// Waits for a result. Makes verdicts durable if the trial takes long.
Result Search::wait_for(Ticket ticket) {
  if (std::optional<Result> result = on_.pool.wait(ticket, on_.stop, idle_seconds)) return std::move(*result);
  on_.log.commit();
  return on_.pool.wait(ticket);
}

// Finishes what the device's queue holds first, and waits for it if necessary.
void Search::finish_front() {
  Result result;
  if (const auto found = arrived_.find(sent_.front().ticket); found != arrived_.end()) {
    result = std::move(found->second);
    arrived_.erase(found);
  } else {
    result = wait_for(sent_.front().ticket);
  }
  const Sent sent = std::move(sent_.front());
  sent_.pop_front();
  if (sent.instance == nullptr) return on_.bench.finish_anchor(std::move(result));
  finish_tried(sent, on_.bench.trial_of(*sent.instance, sent.outcome, std::move(result)));
}

void Search::finish_tried(const Sent& sent, Trial trial) {
  const std::string& text = sent.instance->text;
  under_way_.erase(sent.instance->id);
  if (trial.verdict == Verdict::ok) {
    trial.detail = performance_warnings(cuda::launched_log(sent.outcome.log, sent.outcome.image->functions));
    on_.images.keep({sent.instance, *sent.outcome.image});
  }
  // In a continued session the default may have been launched only as the anchor: its trial is logged already.
  if (on_.log.find(text) == nullptr) finish_trial(trial, false);
  if (trial.deaths > 0 && sent.outcome.image && !on_.pool.isolates()) {
    withdraw_from(0);  // later trials ran on the broken device
    on_.log.commit();
    throw Error("the device is beyond use after " + text + " of " + on_.terms.request.spec.name + ": " + trial.detail +
                "; that configuration is logged and will not be tried again: run the same command to go on");
  }
  on_.log.commit_now_and_then();
  if (on_.bench.is_anchor_due()) sent_.push_back({on_.bench.submit_anchor(), nullptr, {}});
}

void Search::finish_trial(const Trial& trial, bool from_log) {
  untold_.push_back(trial);
  const bool is_new = on_.log.add(trial);
  on_.progress.see(trial, is_new, from_log);
  on_.images.drop_worst([this](const std::string& text) -> std::optional<double> {
    const Trial* const found = on_.log.find(text);
    return found == nullptr ? std::nullopt : std::optional(on_.progress.score(*found));
  });
  const double used = on_.progress.used_seconds(seconds());
  if (used - saved_seconds_ >= 1) {
    saved_seconds_ = used;
    saved_(used);
  }
  on_.log.show(on_.progress.shown(seconds(), on_.bench.anchor_ns(), from_log));
}

}  // namespace attune
