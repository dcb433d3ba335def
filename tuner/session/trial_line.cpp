#include "session/trial_line.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
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
constexpr std::size_t most_begun = 20;
constexpr std::size_t begun_share = 4;  // a quarter

// A result waits this long for the next image before it is taken. As long as images come sooner, what the strategy
// knows at each question does not depend on speed. If the device has a clock of its own, real time costs nothing.
constexpr double hold_seconds = 0.25, hold_seconds_own_clock = 2;

// Verdicts become durable after this time if the device waits for an image, or if a trial takes longer.
constexpr double idle_seconds = 0.05;

}  // namespace

// Returns the bench with the fewest trials.
TrialBench& TrialLine::next_bench() const {
  return *std::min_element(on_.benches.begin(), on_.benches.end(), [](const TrialBench& a, const TrialBench& b) {
    return a.queue().size() < b.queue().size();
  });
}

// Returns the bench that has what was sent first, or null.
TrialBench* TrialLine::oldest() const {
  TrialBench* found = nullptr;
  for (TrialBench& bench : on_.benches)
    if (!bench.queue().empty() && (found == nullptr || bench.queue().front().order < found->queue().front().order))
      found = &bench;
  return found;
}

bool TrialLine::is_empty() const { return oldest() == nullptr; }

bool TrialLine::are_idle() const {
  return std::all_of(on_.benches.begin(), on_.benches.end(),
                     [](const TrialBench& bench) { return bench.queue().is_idle(); });
}

bool TrialLine::has_place() const {
  const TrialBench& bench = next_bench();
  return bench.queue().size() < bench.depth() && !on_.others_wait() && on_.source.outstanding() > 0;
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
bool TrialLine::take_result(double seconds) {
  std::optional<Result> result = on_.pool.next(on_.stop, seconds);
  if (result && !on_.source.arrive(*result))
    for (TrialBench& bench : on_.benches)
      if (bench.queue().arrive(*result)) break;
  return result.has_value();
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
    if (!idle_since && are_idle()) idle_since = Clock::now();
    const bool has_result = take_result(hold);
    if (!has_result && is_over()) break;
    if (!has_result && is_idle) on_.log.hand_over();
    if (has_result || is_idle || !oldest()->queue().has_arrived()) continue;
    finish_oldest();
    on_.log.hand_over();
    break;
  }
  if (idle_since) compile_wait_seconds_ += std::chrono::duration<double>(Clock::now() - *idle_since).count();
  if (!is_ready()) return std::nullopt;
  return on_.source.take();
}

bool TrialLine::start(CompiledInstance compiled, bool is_alone) {
  const Instance& instance = *compiled.instance;
  Candidate& candidate = on_.log.candidates().at(instance.configuration);
  const bool is_anchor = on_.bench().anchor().median_ns == 0 && on_.terms.may_be_anchor(instance.configuration);
  TrialBench& bench = is_anchor ? on_.bench() : next_bench();  // the others get the anchor once it works there
  QueuedTrial queued{{}, compiled.instance, std::move(compiled.outcome), is_alone || on_.terms.request.depth == 1};
  if (!queued.outcome.image) {
    Trial trial;
    trial.compile_ms = queued.outcome.milliseconds;
    trial.deaths = compiled.deaths;
    describe(trial, instance, nullptr, bench.is_self_checked());
    finish(bench, queued, failed_trial(std::move(trial), {queued.outcome.verdict, queued.outcome.log, false}));
    return false;
  }
  on_.take_turns();
  int attempt = 1;
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
    attempt = candidate.attempt;
  }
  on_.log.candidates().set(candidate, State::sent);
  if (is_anchor) {
    finish(bench, queued, try_as_anchor(bench, queued, attempt));
    return false;
  }
  const double incumbent_ns = on_.progress.incumbent_ns(bench.anchor().median_ns);
  queued.ticket = bench.submit_try(instance, *queued.outcome.image, attempt, incumbent_ns);
  push(bench, std::move(queued));
  return true;
}

void TrialLine::push(TrialBench& bench, QueuedTrial queued) {
  queued.order = ++sent_;
  bench.queue().push(std::move(queued));
}

// A configuration that does not end in its time gets no verdict, and its attempt is taken back, so that nothing is
// blamed on it.
Trial TrialLine::try_as_anchor(TrialBench& bench, const QueuedTrial& queued, int attempt) try {
  return bench.try_as_anchor(*queued.instance, queued.outcome, attempt);
} catch (const BenchFailure&) {
  if (queued.has_attempt) on_.log.withdraw_attempts({queued.instance->configuration}, queued.is_alone);
  throw;
}

void TrialLine::begin_ahead() { begin_attempts(nullptr, false); }

// Begins attempts for `first` and for the trials that wait only for their turn, because their images are there. With a
// null `first`, begins none while enough of them have begun.
void TrialLine::begin_attempts(const Instance* first, bool is_alone) {
  while (take_result(0)) continue;
  Candidates& candidates = on_.log.candidates();
  std::vector<Candidate*> chosen;
  for (const Instance* one : on_.source.upcoming(is_alone ? 0 : most_begun - 1))
    chosen.push_back(&candidates.at(one->configuration));
  const auto has_begun = [](const Candidate* one) { return one->state == State::begun; };
  const auto begun = static_cast<std::size_t>(std::count_if(chosen.begin(), chosen.end(), has_begun));
  if (first == nullptr && begun_share * begun > chosen.size()) return;
  std::erase_if(chosen, [&](const Candidate* one) { return has_begun(one) || one->trial; });
  if (first != nullptr) chosen.insert(chosen.begin(), &candidates.at(first->configuration));
  if (!chosen.empty()) on_.log.begin_attempts(chosen, is_alone);
}

// Waits for a result. Has verdicts made durable if the trial takes long.
Result TrialLine::wait_for_first(TrialBench& bench) {
  if (std::optional<Result> arrived = bench.queue().take_arrived()) return *std::move(arrived);
  const Ticket ticket = bench.queue().front().ticket;
  for (;;) {
    if (std::optional<Result> result = on_.pool.wait(ticket, Pool::never, idle_seconds)) return *std::move(result);
    on_.log.hand_over();
  }
}

void TrialLine::finish_oldest() { finish_first(*oldest()); }

void TrialLine::finish_first(TrialBench& bench) {
  Result result = wait_for_first(bench);
  const QueuedTrial queued = bench.queue().pop();
  if (queued.instance == nullptr) return bench.finish_anchor(std::move(result));
  finish(bench, queued, bench.trial_of(*queued.instance, queued.outcome, std::move(result)));
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
  if (trial.deaths > 0 && queued.outcome.image && !bench.isolates()) {
    withdraw_from(0);  // later trials ran on the broken device
    on_.log.commit();
    throw Error("the device is beyond use after " + queued.instance->text + " of " + on_.terms.subject.name() + ": " +
                trial.detail +
                "; that configuration is logged and will not be tried again: run the same command to go on");
  }
  on_.log.hand_over_now_and_then();
  if (bench.is_anchor_due()) push(bench, {bench.submit_anchor(), nullptr});
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
  for (TrialBench& bench : on_.benches)
    for (std::size_t left = bench.queue().size(); left > 0 && !bench.has_lost_device(); left = bench.queue().size())
      if (!succeeds([&] { finish_first(bench); }) && bench.queue().size() == left) break;
  succeeds([this] { withdraw_from(1); });
  succeeds([this] { on_.log.commit(); });
}

void TrialLine::withdraw_begun() { withdraw_from(std::numeric_limits<std::size_t>::max()); }

// Takes back the attempts of each bench from the position `first` of its queue on, and those whose trials were not
// sent, because nothing came of them.
void TrialLine::withdraw_from(std::size_t first) {
  std::vector<Configuration> among_others, alone;
  Candidates& candidates = on_.log.candidates();
  for (TrialBench& bench : on_.benches) {
    const std::deque<QueuedTrial>& queue = bench.queue().all();
    for (std::size_t i = first; i < queue.size(); ++i)
      if (queue[i].has_attempt) (queue[i].is_alone ? alone : among_others).push_back(queue[i].instance->configuration);
  }
  candidates.for_each([&](Candidate& candidate) {
    if (candidate.state != State::begun) return;
    among_others.push_back(candidate.configuration);
    candidates.set(candidate, State::met);
  });
  on_.log.withdraw_attempts(among_others, false);
  on_.log.withdraw_attempts(alone, true);
  for (TrialBench& bench : on_.benches) bench.queue().clear();
}

}  // namespace attune
