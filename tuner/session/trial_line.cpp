#include "session/trial_line.hpp"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "attune/error.hpp"
#include "device/cuda/launched_log.hpp"
#include "session/compiler_remarks.hpp"
#include "session/failed_trial.hpp"

namespace attune {
namespace {

using State = Candidate::State;

// The most attempts that are durable, or are being made so, before their trials are sent: a commit may take longer than
// a trial. The next ones begin when this share of the trials that wait for their turn has begun, so that there are few
// commits, and each is done before the last of these trials is sent.
constexpr std::size_t most_begun = 20;  // for each bench
constexpr std::size_t begun_share = 4;  // a quarter

// A result waits this long for the next image before it is taken. As long as images come sooner, what the strategy
// knows at each question does not depend on speed. If the device has a clock of its own, real time costs nothing.
constexpr double hold_seconds = 0.25, hold_seconds_own_clock = 2;

// Verdicts become durable after this time if the device waits for an image, or if a trial takes longer.
constexpr double idle_seconds = 0.05;

// With several benches, so many times as many trials as there are places may be sent and not taken, so that a slow
// trial, or a slow bench, holds up no other. With 8 benches on a recorded convolution the benches did 84 % of what they
// can with 1, 95 % with 2 and 97 % with 3; where one bench was half as fast, 63, 93 and 98 %.
constexpr std::size_t window_of_place = 3;

}  // namespace

// Returns the bench with the fewest trials under way.
TrialBench& TrialLine::next_bench() const {
  const auto order = [this](const TrialBench& a, const TrialBench& b) {
    return queue_.under_way(a) < queue_.under_way(b);
  };
  return *std::min_element(on_.benches.begin(), on_.benches.end(), order);
}

std::size_t TrialLine::window() const {
  std::size_t places = 0;
  for (const TrialBench& bench : on_.benches) places += bench.depth();
  return on_.benches.size() == 1 ? places : window_of_place * places;
}

// With several benches only trials count: which of them times its anchor, and when, depends on speed.
bool TrialLine::is_full() const { return (on_.benches.size() == 1 ? queue_.size() : queue_.trials()) >= window(); }

bool TrialLine::has_place() const {
  const TrialBench& bench = next_bench();
  const bool has_next = !on_.others_wait() && on_.source.outstanding() > 0;
  return has_next && !is_full() && queue_.under_way(bench) < bench.depth();
}

void TrialLine::make_place() {
  if (is_full() || on_.others_wait() || on_.source.outstanding() == 0) return finish_oldest();
  if (!take_result(idle_seconds, on_.stop)) on_.log.hand_over();
}

void TrialLine::give_way() {
  if (on_.others_wait() && is_empty()) on_.end_turns();
}

void TrialLine::propose(const Configuration& configuration) {
  Candidates& candidates = on_.log.candidates();
  Candidate& candidate = candidates.at(configuration);
  Trial trial;
  trial.configuration = configuration;
  trial.self_checked = on_.bench().is_self_checked();
  std::shared_ptr<const Instance> instance;
  Status status;
  try {
    instance = on_.terms.subject.prepare(on_.next_instance(), configuration);
    describe(trial, *instance, nullptr, trial.self_checked);
  } catch (const Error& error) {
    status = {Verdict::launch_error, error.what(), false};
  }
  if (candidate.ban) {
    status = {Verdict::quarantined, candidate.ban->why, false};
    trial.attempts = candidate.ban->attempts;
  }
  if (!status.ok()) return ended_(failed_trial(std::move(trial), status));
  candidates.set(candidate, State::compiling);
  on_.source.ask(std::move(instance));
}

// Takes the pool's next result. Returns whether there was one within `seconds`.
bool TrialLine::take_result(double seconds, const std::atomic<int>& stop) {
  std::optional<Result> result = on_.pool.next(stop, seconds);
  if (!result || on_.source.arrive(*result)) return result.has_value();
  const auto queued = queue_.find(result->ticket);
  if (queued == queue_.end()) return true;  // a bench that has left had it
  queued->result = std::move(result);
  if (fails(*queued->result)) lose_bench_of(*queued);
  return true;
}

// Returns why the environment failed a job.
std::string TrialLine::failure_text(const Result& result) try {
  if (result.error) std::rethrow_exception(result.error);
  throw_failure(std::get<Failure>(result.answer));
} catch (const std::exception& error) {
  return error.what();
}

// Has the bench leave that failed at this trial, unless it is the last one: then the failure ends the session. The
// trials behind go to other benches under their attempts. This one is tried alone. If it takes a second bench along,
// that is its verdict.
void TrialLine::lose_bench_of(QueuedTrial& queued) {
  TrialBench& bench = *queued.bench;
  const std::string why = failure_text(*queued.result);
  if (!on_.leaves(bench, why)) return;
  for (auto present = queue_.begin(); present != queue_.end(); ++present) {
    if (present->bench != &bench || (present->result && &*present != &queued)) continue;
    if (present->instance == nullptr) {  // nothing comes of it
      present->result.emplace();
      present->bench = nullptr;
    } else if (&*present != &queued) {
      give(*present, next_bench());
    } else if (queued.lost.empty()) {
      queued.result.reset();
      queued.bench = nullptr;
      queued.lost = why;
    } else {
      const Status status{Verdict::fault, "took two devices along: " + queued.lost + "; then " + why, true};
      queued.result.emplace();
      queued.result->answer = TryAnswer{status, {}, {}, 0};
      queued.result->attempt = queued.attempt + 1;
      queued.result->deaths = 2;
    }
  }
}

std::optional<CompiledInstance> TrialLine::take_image(bool in_waves, const std::function<bool()>& is_over) {
  const auto is_ready = [&] { return on_.source.is_ready() && !(in_waves && on_.source.is_waiting()); };
  if (is_ready()) return on_.source.take();
  using Clock = std::chrono::steady_clock;
  std::optional<Clock::time_point> idle_since;  // since when the device has nothing to do
  const bool is_idle = is_empty();
  const double most_hold = on_.terms.opened.own_clock ? hold_seconds_own_clock : hold_seconds;
  const double hold = is_idle ? idle_seconds : most_hold;
  if (is_idle) on_.end_turns();
  while (!is_ready()) {
    if (!idle_since && queue_.under_way() == 0) idle_since = Clock::now();
    const bool has_result = take_result(hold, on_.stop);
    if (!has_result && is_over()) break;
    if (!has_result && is_idle) on_.log.hand_over();
    if (has_result || is_idle || !queue_.begin()->result) continue;
    finish_oldest();
    on_.log.hand_over();
    break;
  }
  if (idle_since) compile_wait_seconds_ += std::chrono::duration<double>(Clock::now() - *idle_since).count();
  if (!is_ready()) return std::nullopt;
  return on_.source.take();
}

// What other benches wait for their turns is no time of an anchor.
void TrialLine::take_turns(bool for_anchor) {
  const auto of_others = [this] { return on_.waited_seconds() - on_.bench().waited_seconds(); };
  const double before = of_others();
  on_.take_turns();
  if (for_anchor) on_.bench().extend_anchor(of_others() - before);
}

bool TrialLine::start(CompiledInstance compiled, bool is_alone) {
  const Instance& instance = *compiled.instance;
  Candidate& candidate = on_.log.candidates().at(instance.configuration);
  const bool is_anchor = on_.bench().anchor().median_ns == 0 && on_.terms.may_be_anchor(instance.configuration);
  QueuedTrial queued{compiled.instance, std::move(compiled.outcome), is_alone || on_.terms.request.depth == 1};
  if (!queued.outcome.image) {
    Trial trial;
    trial.compile_ms = queued.outcome.milliseconds;
    trial.deaths = compiled.deaths;
    describe(trial, instance, nullptr, on_.bench().is_self_checked());
    finish(on_.bench(), queued, failed_trial(std::move(trial), {queued.outcome.verdict, queued.outcome.log, false}));
    return false;
  }
  take_turns(is_anchor);
  // In a continued session the default may be launched only as the anchor. It needs no attempt, because it has its
  // verdict.
  queued.has_attempt = !candidate.trial;
  if (queued.has_attempt) {
    if (candidate.state != State::begun) begin_attempts(&instance, queued.is_alone);
    if (!on_.log.await_attempt(candidate, on_.stop)) {
      on_.log.withdraw_attempts({candidate.configuration}, queued.is_alone);
      on_.log.candidates().set(candidate, State::met);
      return false;
    }
    queued.attempt = candidate.attempt;
  }
  on_.log.candidates().set(candidate, State::sent);
  if (is_anchor) {  // the other benches get it once it works on the first
    Trial trial = try_as_anchor(queued);
    finish(on_.bench(), queued, std::move(trial));
    return false;
  }
  give(queued, next_bench());
  queue_.push(std::move(queued));
  return true;
}

// Submits a trial, whose attempt is durable, to a bench.
void TrialLine::give(QueuedTrial& queued, TrialBench& bench) {
  const double incumbent_ns = on_.progress.incumbent_ns(bench.anchor().median_ns);
  queued.bench = &bench;
  queued.ticket = bench.submit_try(*queued.instance, *queued.outcome.image, queued.attempt, incumbent_ns);
}

// A configuration that does not end in its time gets no verdict, and its attempt is taken back, so that nothing is
// blamed on it. A bench that is lost leaves its place to the next one.
Trial TrialLine::try_as_anchor(const QueuedTrial& queued) {
  for (;;) {
    TrialBench& bench = on_.bench();
    try {
      return bench.try_as_anchor(*queued.instance, queued.outcome, queued.attempt);
    } catch (const BenchFailure&) {
      if (queued.has_attempt) on_.log.withdraw_attempts({queued.instance->configuration}, queued.is_alone);
      throw;
    } catch (const Error& error) {
      if (!bench.has_failed() || !on_.leaves(bench, error.what())) throw;
      on_.bench().limit_anchor(on_.progress.run_seconds(), true);
    }
  }
}

void TrialLine::begin_ahead() { begin_attempts(nullptr, false); }

// Begins attempts for `first` and for the trials that wait only for their turn, because their images are there. With a
// null `first`, begins none while enough of them have begun.
void TrialLine::begin_attempts(const Instance* first, bool is_alone) {
  // By clocks of the benches' own a result is taken when it is due, whatever has arrived.
  const bool are_due = on_.terms.opened.own_clock && on_.benches.size() > 1;
  while (!are_due && take_result(0, on_.stop)) continue;
  Candidates& candidates = on_.log.candidates();
  std::vector<Candidate*> chosen;
  for (const Instance* one : on_.source.upcoming(is_alone ? 0 : most_begun * on_.benches.size() - 1))
    chosen.push_back(&candidates.at(one->configuration));
  const auto has_begun = [](const Candidate* one) { return one->state == State::begun; };
  const auto begun = static_cast<std::size_t>(std::count_if(chosen.begin(), chosen.end(), has_begun));
  if (first == nullptr && begun_share * begun > chosen.size()) return;
  std::erase_if(chosen, [&](const Candidate* one) { return has_begun(one) || one->trial; });
  if (first != nullptr) chosen.insert(chosen.begin(), &candidates.at(first->configuration));
  if (!chosen.empty()) on_.log.begin_attempts(chosen, is_alone);
}

// Tries a trial that took a bench along, while nothing else is under way.
void TrialLine::try_again_alone(QueuedTrial& queued) {
  while (queue_.under_way() > 0) take_result(idle_seconds, Pool::never);
  give(queued, on_.bench());
}

// Waits for a result and takes it. Has verdicts made durable if that takes long.
void TrialLine::finish(TrialQueue::Position one) {
  while (!one->result) {
    if (one->bench == nullptr) try_again_alone(*one);
    if (!take_result(idle_seconds, Pool::never)) on_.log.hand_over();
  }
  if (one->result->error) std::rethrow_exception(one->result->error);
  const QueuedTrial queued = std::move(*one);
  queue_.erase(one);
  if (queued.bench == nullptr) return;
  TrialBench& bench = *queued.bench;
  if (queued.instance == nullptr) return bench.finish_anchor(*queued.result);
  finish(bench, queued, bench.trial_of(*queued.instance, queued.outcome, *queued.result));
}

void TrialLine::finish(TrialBench& bench, const QueuedTrial& queued, Trial trial) {
  Candidates& candidates = on_.log.candidates();
  Candidate& candidate = candidates.at(queued.instance->configuration);
  candidates.set(candidate, State::tried);
  if (trial.verdict == Verdict::ok) {
    trial.detail = performance_warnings(cuda::launched_log(queued.outcome.log, queued.outcome.image->functions));
    candidates.keep({queued.instance, *queued.outcome.image});
  }
  // In a continued session the default may have been launched only as the anchor: its trial is logged already.
  if (!candidate.trial) ended_(trial);
  if (trial.deaths > 0 && queued.outcome.image && !bench.isolates() && !on_.has_left(bench)) {
    withdraw(false);  // later trials ran on the broken device
    on_.log.commit();
    throw Error("the device is beyond use after " + queued.instance->text + " of " + on_.terms.subject.name() + ": " +
                trial.detail +
                "; that configuration is logged and will not be tried again: run the same command to go on");
  }
  on_.log.hand_over_now_and_then();
  if (!bench.is_anchor_due() || on_.has_left(bench)) return;
  QueuedTrial anchor;
  anchor.bench = &bench;
  anchor.ticket = bench.submit_anchor();
  queue_.push(std::move(anchor));
}

void TrialLine::settle_after_failure() noexcept {
  const auto succeeds = [](const auto& step) {
    try {
      step();
      return true;
    } catch (const std::exception&) {  // the first failure is the one to report
      return false;
    }
  };
  const auto has_answer = [](const QueuedTrial& one) {
    if (one.result) return one.result->error == nullptr;
    return one.bench != nullptr && !one.bench->has_lost_device();
  };
  for (auto next = queue_.begin();;) {
    next = std::find_if(queue_.begin(), queue_.end(), has_answer);
    const std::size_t left = queue_.size();
    if (next == queue_.end() || (!succeeds([&] { finish(next); }) && queue_.size() == left)) break;
  }
  succeeds([this] { withdraw(true); });
  succeeds([this] { on_.log.commit(); });
}

void TrialLine::withdraw_begun() { withdraw(true); }

// Takes back the attempts that nothing came of: of what waits behind the first of its bench, and of trials that were
// not sent. Without `keeps_first`, those of the first too.
void TrialLine::withdraw(bool keeps_first) {
  std::set<const TrialBench*> seen;
  std::vector<Configuration> among_others, alone;
  Candidates& candidates = on_.log.candidates();
  for (const QueuedTrial& one : queue_) {
    const bool is_first = one.bench == nullptr || seen.insert(one.bench).second;
    if (one.has_attempt && !(keeps_first && is_first))
      (one.is_alone ? alone : among_others).push_back(one.instance->configuration);
  }
  candidates.for_each([&](Candidate& candidate) {
    if (candidate.state != State::begun) return;
    among_others.push_back(candidate.configuration);
    candidates.set(candidate, State::met);
  });
  on_.log.withdraw_attempts(among_others, false);
  on_.log.withdraw_attempts(alone, true);
  queue_.clear();
}

}  // namespace attune
