#include "worker/device_recovery.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>

#include <algorithm>
#include <utility>

#include "attune/error.hpp"
#include "base/user_limits.hpp"
#include "worker/answer_check.hpp"

namespace attune {
namespace {

// After so many workers that do not start, the environment is at fault.
constexpr int most_failed_starts = 2;

// Returns whether an administrator, a batch system, or a system without memory ends processes by this signal. A kernel
// seldom causes such a signal.
bool is_from_outside(int signal) noexcept {
  return signal == SIGKILL || signal == SIGTERM || signal == SIGHUP || signal == SIGINT;
}

Death death_by(const Received& received) {
  const bool is_late = received.end == Received::End::timed_out;
  return {{is_late ? Verdict::timeout : Verdict::fault,
           (is_late ? "did not end: " : "the device worker died: ") + received.why, true},
          !is_late && is_ended_by_processor_limit(received.signal, received.processor_seconds),
          !is_late && is_from_outside(received.signal)};
}

void count_attempt(Job& job) {
  if (auto* const tried = std::get_if<Try>(&job)) ++tried->launch.attempt;
  if (auto* const load = std::get_if<Load>(&job)) ++load->launch.attempt;
}

std::vector<InstanceId> distinct(const std::vector<InstanceId>& slots) {
  std::vector<InstanceId> once;
  for (const InstanceId id : slots)
    if (std::find(once.begin(), once.end(), id) == once.end()) once.push_back(id);
  return once;
}

// Reports a failed device copy. No configuration is to blame for it, so the environment is.
[[noreturn]] void fail_at_copy(const std::string& why) {
  throw Error("the device or its driver is at fault: a copy within the device's memory fails: " + why +
              " (nvidia-smi and the kernel's log may say more; the same command goes on where this one ended)");
}

}  // namespace

DeviceRecovery::DeviceRecovery(Transport& transport, WorkerContents& contents, LaneFigures& figures, Send send)
    : transport_(transport), contents_(contents), figures_(figures), send_(std::move(send)) {}

// A job that the worker had not begun is not to blame for the worker's death.
std::optional<Result> DeviceRecovery::after_loss(Work& work, const Received& received) {
  work.is_repeated = true;
  Result result;
  if (std::holds_alternative<OpenDevice>(work.job)) {
    if (++work.begun_in_vain == most_failed_starts)
      throw Error("the device worker does not start, in two attempts: " + received.why);
    restart();
    work.started = false;
    return std::nullopt;
  }
  if (const auto* const begin = std::get_if<Begin>(&work.job)) {
    contents_.begin(*begin);
    begin_problem(received.why);
    result.answer = Begun{contents_.free_at_begin()};
    return result;
  }
  if (std::holds_alternative<Release>(work.job)) {
    start_afresh();
    result.answer = Done{};
    contents_.note(work.job, result.answer, 0);
    return result;
  }
  Death death = death_by(received);
  if (work.started && death.is_by_limit) {
    meet_limit(work, death);
    work.started = false;
    return std::nullopt;
  }
  if (work.started || ++work.begun_in_vain > most_in_vain) return after_death(work, std::move(death));
  restart_and_check("a death between two jobs", received.why);
  return std::nullopt;
}

std::optional<Result> DeviceRecovery::make_ready(Work& work) {
  if (contents_.needs_fresh(work.job)) start_afresh();
  work.began = figures_.seconds();
  if (contents_.is_apart() && samples_several(work.job)) return one_at_a_time(work, nullptr);
  std::optional<Result> failed = load_missing(work, work.job);
  if (failed || !contents_.needs_fresh(work.job)) return failed;
  contents_.keep_apart();  // one of them changes its worker at each load: let it harm only itself
  return one_at_a_time(work, nullptr);
}

Result DeviceRecovery::after_death(Work& work, Death death) {
  work.is_repeated = true;
  if (!samples_several(work.job)) return alone(work, std::move(death));
  keep_apart(work, death.status);
  restart_and_check(
      fmt::format("one of several that were sampled together, {},", fmt::join(contents_.names_of(work.job), "; ")),
      death.status.detail);
  return one_at_a_time(work, &death);
}

// A worker ended by a limit of processor time: because of all jobs that it did, or of this job alone. A fresh worker
// does only this job. If it meets the limit too, Error is thrown.
void DeviceRecovery::meet_limit(Work& work, const Death& death) {
  if (std::exchange(work.met_limit, true))
    throw Error(death.status.detail + "; so did the one before: " + processor_limit_advice());
  start_afresh();
}

// Checks that the environment works, then counts a death. Returns whether the deaths are the configuration's verdict
// now.
bool DeviceRecovery::is_condemned(Work& work, const std::string& configuration, const Death& death) {
  work.is_repeated = true;
  if (death.is_by_limit) {
    meet_limit(work, death);
    return false;
  }
  restart_and_check(configuration, death.status.detail);
  const bool condemned = contents_.count_death(configuration, death) >= contents_.deaths_to_verdict();
  const bool is_held = contents_.deaths_of(configuration).held() >= contents_.deaths_to_verdict();
  const char* const follows = !condemned ? "; tried once more in a fresh worker"
                              : is_held  ? "; quarantined after two deaths"
                                         : "; left out after two deaths, which came from outside perhaps";
  work.notes.push_back(configuration + ": " + death.status.detail + follows);
  return condemned;
}

// Does the job once more in a fresh worker after the first death of its configuration. Deaths of a configuration add up
// over its jobs, because one that kills after many samples survives the few samples of one more attempt.
Result DeviceRecovery::alone(Work& work, Death death) {
  const std::vector<InstanceId> of = instances_of(work.job);
  const InstanceLaunch* const launch = launch_of(work.job);
  if (of.empty() && launch == nullptr) fail_at_copy(death.status.detail);
  const std::string name = launch != nullptr ? launch->configuration : contents_.at(of.front()).launch.configuration;
  Result result;
  while (!is_condemned(work, name, death)) {
    count_attempt(work.job);
    if (!of.empty()) ++contents_.at(of.front()).launch.attempt;
    if (std::optional<Result> failed = load_missing(work, work.job)) return std::move(*failed);
    death = {};
    Answer answer = ask_or_die(work.job, death);
    if (death.status.ok()) {
      result.answer = std::move(answer);
      const Status* const found = status_of(result.answer);
      if (std::holds_alternative<Rounds>(work.job) && found != nullptr && !found->ok()) result.failed = of.front();
      contents_.note(work.job, result.answer, 0);
      return result;
    }
  }
  if (!of.empty()) result.failed = of.front();
  result.answer = answer_with(work.job, std::move(death.status));
  return result;
}

// Instances that failed together stay apart, because one that fails by chance would fail among others again and again.
void DeviceRecovery::keep_apart(Work& work, const Status& status) {
  contents_.keep_apart();
  work.is_repeated = true;
  work.notes.push_back(fmt::format("one of several that were sampled together: {}; sampled one at a time from here: {}",
                                   status.detail, fmt::join(contents_.names_of(work.job), "; ")));
}

// Takes the samples of several instances, one instance after the other. `death`: a worker died of all of them together.
// This death counts for each of them, unless one of them fails alone.
Result DeviceRecovery::one_at_a_time(Work& work, const Death* death) {
  const auto& rounds = std::get<Rounds>(work.job);
  Result result;
  std::vector<double> samples(rounds.slots.size());
  std::vector<std::string> suspected;
  for (const InstanceId id : distinct(rounds.slots)) {
    const std::string name = id == device_copy ? "" : contents_.at(id).launch.configuration;
    const bool is_suspected = death != nullptr && id != device_copy;
    if (is_suspected) contents_.count_death(name, *death);
    Rounds own{{}, rounds.plan};
    own.slots.assign(static_cast<std::size_t>(std::count(rounds.slots.begin(), rounds.slots.end(), id)), id);
    if (contents_.needs_fresh(own)) start_afresh();
    Answer answer = sample_alone(work, own, id);
    const auto& sampled = std::get<RoundsSampled>(answer);
    if (!sampled.status.ok()) {
      for (const std::string& other : suspected) contents_.take_back_death(other, *death);
      result.failed = id;
      result.answer = std::move(answer);
      return result;
    }
    if (is_suspected) suspected.push_back(name);
    std::size_t next = 0;
    for (std::size_t k = 0; k < samples.size(); ++k)
      if (rounds.slots[k] == id) samples[k] = sampled.samples_ns[next++];
  }
  result.answer = RoundsSampled{{}, std::move(samples)};
  return result;
}

// Takes the samples of one instance, or of device copies.
Answer DeviceRecovery::sample_alone(Work& work, const Job& job, InstanceId id) {
  for (;;) {
    if (std::optional<Result> failed = load_missing(work, job)) return std::move(failed->answer);
    Death death;
    Answer answer = ask_or_die(job, death);
    if (const auto* failure = std::get_if<Failure>(&answer)) throw_failure(*failure);
    if (death.status.ok() || !transport_.isolates()) return answer;
    if (id == device_copy && death.is_by_limit) {
      meet_limit(work, death);
      continue;
    }
    if (id == device_copy) fail_at_copy(death.status.detail);
    if (is_condemned(work, contents_.at(id).launch.configuration, death))
      return RoundsSampled{std::move(death.status), {}};
    ++contents_.at(id).launch.attempt;
  }
}

// Sends one job and waits for its reply, with nothing else under way. `begun`: when the worker began the job.
Received DeviceRecovery::ask(const Job& job, std::optional<Clock::time_point>& begun) {
  const TimeLimit limit = contents_.limit(job);
  send_(job, limit.seconds);
  Received received = receive_answer(transport_, contents_.to_begin(), limit, contents_.limit_of_reference(job), begun);
  if (begun) contents_.note_open();
  return received;
}

// Sends one job and returns the answer. The status of `death` is not ok if the worker died of the job, so that there is
// no answer, or if the worker can no longer use its device, as the answer says.
Answer DeviceRecovery::ask_or_die(const Job& job, Death& death) {
  std::optional<Clock::time_point> begun;
  Received received = ask(job, begun);
  if (received.end != Received::End::replied) {
    death = death_by(received);
    return {};
  }
  figures_.add(received.reply, job);
  if (!received.reply.changed.empty()) contents_.spoil(job, received.reply.changed);
  Answer answer = std::move(received.reply.answer);
  check_answer(job, answer);
  if (const Status* const status = status_of(answer); status != nullptr && status->sticky) death = {*status};
  return answer;
}

// Starts a fresh worker and checks that it still does what worked before: the reference, which it runs when it begins
// the problem, and the known-good job. One failure may be an after-effect of the death. Two failures mean that nothing
// can be measured here, so Error is thrown.
void DeviceRecovery::restart_and_check(const std::string& after, const std::string& detail) {
  std::string why;
  for (int attempt = 1; attempt <= 2; ++attempt) {
    try {
      start_afresh();
      why = known_good_fails();
      if (why.empty() && contents_.is_worn()) start_afresh();
      if (why.empty()) return;
    } catch (const DeviceLost&) {
      throw;
    } catch (const Error& error) {
      why = error.what();
    }
  }
  const std::optional<Begin> problem = contents_.problem();
  throw Error("the device or its driver is at fault, and no configuration is blamed: after " + after + " of " +
              (problem ? problem->setup.kernel : "no kernel") + " (" + detail +
              ") what had worked before fails in two fresh workers: " + why +
              "\nlook at the device (nvidia-smi, the kernel's log); the same command goes on where this one ended");
}

// Does the known-good job. Returns why it fails; "" when it works.
std::string DeviceRecovery::known_good_fails() {
  const std::optional<KnownGood> known_good = contents_.known_good();
  if (!known_good) return "";
  Death death;
  const Answer answer = ask_or_die(known_good->job, death);
  if (death.is_by_limit) return death.status.detail + ": " + processor_limit_advice();
  Status status = death.status;
  if (const auto* failure = std::get_if<Failure>(&answer)) return failure->text;
  if (const auto* tried = std::get_if<Tried>(&answer); tried != nullptr && status.ok()) status = tried->status;
  return status.ok() ? "" : status.detail;
}

void DeviceRecovery::restart() {
  transport_.restart();
  contents_.worker_lost();
  figures_.add_replaced();
}

void DeviceRecovery::start_afresh() {
  restart();
  if (contents_.problem()) begin_problem({});
}

// Makes data and reference in a fresh worker; if that worker dies, in a second one. `why`: how a first worker died
// while it made them; "": there was none.
void DeviceRecovery::begin_problem(std::string why) {
  const Begin problem = *contents_.problem();
  Verdict verdict = Verdict::fault;
  for (int attempt = why.empty() ? 1 : 2; attempt <= 2; ++attempt) {
    if (!why.empty()) restart();  // the present worker may have got another job since
    std::optional<Clock::time_point> at;
    Received received = ask(problem, at);
    if (received.end != Received::End::replied) {
      why = received.why;
      if (attempt == 2 && death_by(received).is_by_limit)
        throw Error("two device workers died while they made the data of " + problem.setup.problem + " (" + why +
                    "): " + processor_limit_advice());
      verdict = received.end == Received::End::timed_out ? Verdict::timeout : Verdict::fault;
      continue;
    }
    figures_.add(received.reply, problem);
    if (const auto* failure = std::get_if<Failure>(&received.reply.answer)) throw_failure(*failure);
    const auto* const begun = std::get_if<Begun>(&received.reply.answer);
    if (begun == nullptr)
      throw Error(
          "a device worker gave another answer than was asked for; coordinator and worker must be the same build");
    return contents_.set_begun(begun->free_bytes, std::chrono::duration<double>(Clock::now() - *at).count());
  }
  throw StepsFailed(
      fmt::format(
          "two device workers {} while the data of {} for {} were made and {} ran: {}",
          verdict == Verdict::timeout ? "did not end" : "died", problem.setup.kernel, problem.setup.problem,
          problem.setup.self_checked ? "the default configuration (there is no [[reference]])" : "[[reference]]", why),
      verdict);
}

// Loads the instances that a job needs and the present worker lacks. If one cannot be loaded, returns its failure as
// the job's result: a failure at once, a death after the second one. A configuration that has its verdict is not loaded
// again.
std::optional<Result> DeviceRecovery::load_missing(Work& work, const Job& job) {
  while (const std::optional<InstanceId> id = contents_.first_missing(job)) {
    if (contents_.needs_fresh(job)) break;  // the instance loaded before changed the worker
    WorkerContents::Loaded& loaded = contents_.at(*id);
    const std::string name = loaded.launch.configuration;
    const WorkerContents::Deaths deaths = contents_.deaths_of(name);
    Status status = deaths.last;
    if (deaths.count < contents_.deaths_to_verdict()) {
      Death death;
      const Answer answer = ask_or_die(Load{loaded.launch, {}}, death);
      if (const auto* failure = std::get_if<Failure>(&answer)) throw_failure(*failure);
      status = death.status.ok() ? std::get<Tried>(answer).status : death.status;
      loaded.is_there = status.ok();
      if (loaded.is_there) continue;
      if (!death.status.ok()) {
        ++loaded.launch.attempt;
        if (!is_condemned(work, name, death)) continue;
      }
    }
    Result result;
    result.failed = *id;
    result.answer = answer_with(job, std::move(status));
    return result;
  }
  return std::nullopt;
}

}  // namespace attune
