#include "worker/lane_state.hpp"

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

// One job that the worker does, and one that waits in its pipe, so that the worker never waits for the coordinator.
constexpr std::size_t most_sent = 2;

// A job with a larger image is not sent ahead. A pipe holds a megabyte, and sending must not block while a job is under
// way.
constexpr std::size_t most_bytes_ahead = 512 << 10;

// After so many workers that do not start, or that die while they make the data, the environment is at fault.
constexpr int most_failed_starts = 2, most_begin_deaths = 2;

// After so many failures of what worked before, the environment is at fault. One may be an after-effect of the death.
constexpr int most_failed_checks = 2;

// How much may leak in a worker, as a share of the memory that was free after Begin. A worker with larger leaks is
// replaced, before it runs out of memory.
constexpr double leaked_share = 0.5;

std::size_t image_bytes(const Job& job) {
  const InstanceLaunch* const launch = launch_of(job);
  return launch != nullptr && launch->steps.image.code ? launch->steps.image.code->size() : 0;
}

// Returns whether an administrator, a batch system, or a system without memory ends processes by this signal. A kernel
// seldom causes such a signal.
bool is_from_outside(int signal) noexcept {
  return signal == SIGKILL || signal == SIGTERM || signal == SIGHUP || signal == SIGINT;
}

Death death_by(const Receipt& received) {
  const bool is_late = received.end == Receipt::End::timed_out;
  return {{is_late ? Verdict::timeout : Verdict::fault,
           (is_late ? "did not end: " : "the device worker died: ") + received.why, true},
          !is_late && is_ended_by_processor_limit(received.signal, received.processor_seconds),
          !is_late && is_from_outside(received.signal)};
}

bool has_leaked(const Answer& answer, std::uint64_t free_at_begin) {
  const auto* const tried = std::get_if<TryAnswer>(&answer);
  return tried != nullptr && tried->free_bytes > 0 &&
         static_cast<double>(tried->free_bytes) < (1 - leaked_share) * static_cast<double>(free_at_begin);
}

// Makes the job of the present instance.
void come_to_instance(ApartRounds& apart, const Rounds& whole) {
  const auto count = std::count(whole.slots.begin(), whole.slots.end(), apart.instance());
  apart.job = Rounds{std::vector<InstanceId>(static_cast<std::size_t>(count), apart.instance()), whole.plan};
}

// Adds the samples of the present instance, and goes on to the next. Returns whether there is one.
bool add_samples(ApartRounds& apart, const Rounds& whole, const std::vector<double>& samples_ns) {
  for (std::size_t k = 0, next = 0; k < whole.slots.size(); ++k)
    if (whole.slots[k] == apart.instance()) apart.samples_ns[k] = samples_ns[next++];
  if (++apart.at == apart.instances.size()) return false;
  come_to_instance(apart, whole);
  return true;
}

// The environment is at fault for a failed device copy, because no configuration is to blame for it.
std::string copy_failure(const std::string& why) {
  return "the device or its driver is at fault: a copy within the device's memory fails: " + why +
         " (nvidia-smi and the kernel's log may say more; the same command goes on where this one ended)";
}

[[noreturn]] void throw_begin_failure(const TrialSetup& setup, const Receipt& received) {
  if (death_by(received).is_by_limit)
    throw Error("two device workers died while they made the data of " + setup.problem + " (" + received.why +
                "): " + processor_limit_advice());
  const bool is_late = received.end == Receipt::End::timed_out;
  throw StepsFailure(
      fmt::format("two device workers {} while the data of {} for {} were made and {} ran: {}",
                  is_late ? "did not end" : "died", setup.kernel, setup.problem,
                  setup.self_checked ? "the default configuration (there is no [[reference]])" : "[[reference]]",
                  received.why),
      is_late ? Verdict::timeout : Verdict::fault);
}

std::string check_failure(const std::string& after, const std::string& kernel, const std::string& detail,
                          const std::string& why) {
  return "the device or its driver is at fault, and no configuration is blamed: after " + after + " of " + kernel +
         " (" + detail + ") what had worked before fails in two fresh workers: " + why +
         "\nlook at the device (nvidia-smi, the kernel's log); the same command goes on where this one ended";
}

}  // namespace

void LaneState::submit(Ticket ticket, Job job) {
  LaneWork& work = queue_.emplace_back();
  work.ticket = ticket;
  work.job = std::move(job);
}

void LaneState::set_known_good(std::optional<KnownGood> known_good) {
  contents_.deadlines.anchor_seconds = known_good ? known_good->launch_seconds : 0;
  contents_.problem.known_good = std::move(known_good);
}

LaneActions LaneState::next(double now) {
  now_ = now;
  while (!is_busy() && !queue_.empty()) prepare();
  const Deadlines& deadlines = contents_.deadlines;
  for (; can_send_ahead(); ++sent_) actions_.sends.push_back({queue_[sent_].job, deadlines.of(queue_[sent_].job)});
  if (is_busy())
    actions_.waits = starts_ == 0   ? contents_.to_begin()
                     : starts_ == 1 ? deadlines.limit(present())
                                    : deadlines.limit_of_reference(present());
  return std::exchange(actions_, {});
}

// Does the next thing for the first job while the worker has no job: prepares the worker, sends the job, or delivers
// its result.
void LaneState::prepare() {
  LaneWork& front = queue_.front();
  const WorkerContents::Problem& problem = contents_.problem;
  if (problem.is_apart && samples_several(front.present())) take_apart("", {});
  const Job& job = front.present();
  if (contents_.needs_fresh(job)) replace();
  const bool lacks_problem = problem.begin && !contents_.has_problem;
  if (lacks_problem && !std::holds_alternative<Begin>(job)) return send_first(*problem.begin);
  if (check_ && problem.known_good) return send_first(problem.known_good->job);
  check_.reset();
  if (front.outcome) return deliver();
  if (!front.began) front.began = figures_.seconds(now_);
  const std::optional<InstanceId> missing = contents_.first_missing(job);
  if (!missing) return send_first({});
  // A configuration that has its verdict is not loaded again.
  const DeathCount& deaths = contents_.deaths_of(*missing);
  if (deaths.count < deaths_to_verdict_) return send_first(Load{problem.loaded.at(*missing).launch, {}});
  conclude(answer_with(front.job, deaths.last), missing);
}

bool LaneState::can_send_ahead() const {
  if (errand_ || sent_ == 0 || sent_ == most_sent || sent_ == queue_.size()) return false;
  const LaneWork& front = queue_.front();
  const Job& job = queue_[sent_].job;
  const bool is_ready = !contents_.needs_fresh(job) && !contents_.first_missing(job) &&
                        !(contents_.problem.is_apart && samples_several(job));
  return is_ready && !front.apart && !front.is_repeated && image_bytes(job) <= most_bytes_ahead;
}

// Sends the first job, or an errand for it.
void LaneState::send_first(std::optional<Job> errand) {
  errand_ = std::move(errand);
  if (!errand_) sent_ = 1;
  come_to_first();
  actions_.sends.push_back({present(), contents_.deadlines.of(present())});
}

// The worker comes to the first of its jobs, whose time begins now.
void LaneState::come_to_first() {
  starts_ = 0;
  started_at_ = now_;
  if (!errand_ && !queue_.front().began) queue_.front().began = figures_.seconds(now_);
}

void LaneState::receive(Receipt received, double now) {
  now_ = now;
  try {
    if (received.end != Receipt::End::replied) return lose(received);
    if (!std::holds_alternative<StartNotice>(received.reply.answer)) return answer(std::move(received.reply));
    contents_.is_open = true;
    if (++starts_ == 1) started_at_ = now;
  } catch (...) {
    fail(std::current_exception(), now);
  }
}

void LaneState::answer(Reply reply) {
  begin_deaths_ = 0;
  figures_.add(reply, present());
  check_answer(present(), reply.answer);
  const bool is_spoiled = isolates_ && !reply.changed.empty();
  if (is_spoiled) contents_.spoil(present(), reply.changed);
  if (is_spoiled && sent_ > 1) {
    contents_.wear();  // its pipe holds the next job, and it would answer that one first
    sent_ = 1;
  }
  const Status* const status = status_of(reply.answer);
  if (status != nullptr && status->sticky && isolates_) return die({*status});
  errand_ ? finish_errand(std::move(reply.answer)) : finish(std::move(reply.answer), is_spoiled);
}

void LaneState::finish_errand(Answer answer) {
  const Job errand = *std::exchange(errand_, std::nullopt);
  if (const auto* failure = std::get_if<Failure>(&answer)) throw_failure(*failure);
  if (const auto* begun = std::get_if<BeginAnswer>(&answer)) return contents_.note_begun(*begun, now_ - started_at_);
  const Status& status = std::get<TryAnswer>(answer).status;
  if (std::holds_alternative<Try>(errand)) {
    if (!status.ok()) throw Error(status.detail);
    if (contents_.is_worn) replace();
    return check_.reset();
  }
  const InstanceId loaded = std::get<Load>(errand).launch.instance;
  const Job& job = queue_.front().job;
  if (!status.ok()) return conclude(answer_with(job, status), loaded);
  contents_.problem.loaded.at(loaded).is_there = true;
  // One of several changes its worker at each load: let it harm only itself.
  if (contents_.needs_fresh(queue_.front().present())) contents_.problem.is_apart = true;
}

// Handles an answer to the first job, of which no worker died. `is_spoiled`: kernels of the job changed the worker.
void LaneState::finish(Answer answer, bool is_spoiled) {
  LaneWork& front = queue_.front();
  contents_.note(front.present(), answer, now_ - started_at_);
  if (isolates_ && has_leaked(answer, contents_.problem.free_bytes)) contents_.wear();
  --sent_;
  const auto* const rounds = std::get_if<Rounds>(&front.job);
  const auto* const sampled = std::get_if<RoundsAnswer>(&answer);
  const bool failed = sampled != nullptr && !sampled->status.ok();
  if (front.apart && sampled != nullptr && !failed) {
    if (!add_samples(*front.apart, *rounds, sampled->samples_ns))
      conclude(RoundsAnswer{{}, std::move(front.apart->samples_ns)}, {});
  } else if (!front.apart && samples_several(front.job) && (is_spoiled || (failed && !sampled->status.sticky))) {
    take_apart(failed ? sampled->status.detail : "", {});
    std::rotate(queue_.begin(), queue_.begin() + 1, queue_.begin() + 1 + static_cast<std::ptrdiff_t>(sent_));
  } else {
    std::optional<InstanceId> blamed;
    if (failed) blamed = front.apart ? front.apart->instance() : rounds->slots.front();
    conclude(std::move(answer), blamed);
  }
  if (sent_ > 0) come_to_first();
}

// Handles a worker that is gone. A job that the worker had not begun is not to blame. Data and reference are made once
// more, in a second worker.
void LaneState::lose(const Receipt& received) {
  LaneWork& front = queue_.front();
  const Job job = present();
  front.is_repeated = true;
  const auto* const begin = std::get_if<Begin>(&job);
  const bool opens = std::holds_alternative<OpenDevice>(job), releases = std::holds_alternative<Release>(job);
  const bool launches = begin == nullptr && !opens && !releases;
  if (launches && (starts_ > 0 || check_ || front.begun_in_vain == most_in_vain)) return die(death_by(received));
  replace();
  if (begin != nullptr && ++begin_deaths_ == most_begin_deaths) throw_begin_failure(begin->setup, received);
  if (begin != nullptr) return;
  if (releases) {
    contents_.note(job, Acknowledgement{}, 0);
    return conclude(Acknowledgement{}, {});
  }
  ++front.begun_in_vain;
  if (opens && front.begun_in_vain == most_failed_starts)
    throw Error("the device worker does not start, in two attempts: " + received.why);
  if (launches) check_ = EnvironmentCheck{"a death between two jobs", received.why};
}

// Handles a death that the present job is to blame for: the first job, or an errand for it.
void LaneState::die(const Death& death) {
  const bool is_errand = errand_.has_value();
  const Job job = present();
  queue_.front().is_repeated = true;
  replace();
  if (check_) throw Error(death.status.detail + (death.is_by_limit ? ": " + processor_limit_advice() : ""));
  if (!death.is_by_limit) return blame(job, is_errand, death);
  // A limit of processor time: because of all jobs that the worker did, or of this job alone. A fresh worker tells.
  if (std::exchange(queue_.front().met_limit, true))
    throw Error(death.status.detail + "; so did the one before: " + processor_limit_advice());
}

// Counts a death for the job's configuration, if it is only one. Deaths of a configuration add up over its jobs,
// because one that kills after many samples survives the few samples of one more attempt.
void LaneState::blame(const Job& job, bool is_errand, const Death& death) {
  LaneWork& front = queue_.front();
  const std::string& detail = death.status.detail;
  if (samples_several(job)) {
    const std::string names = fmt::format("{}", fmt::join(contents_.names_of(job), "; "));
    check_ = EnvironmentCheck{"one of several that were sampled together, " + names + ",", detail};
    return take_apart(detail, death);
  }
  const std::vector<InstanceId> instances = instances_of(job);
  const InstanceLaunch* const launch = launch_of(job);
  if (launch == nullptr && instances.empty()) throw Error(copy_failure(detail));
  const bool is_own = launch != nullptr && !is_errand;
  const InstanceId instance = launch != nullptr ? launch->instance : instances.front();
  InstanceLaunch& blamed = is_own ? *launch_of(front.job) : contents_.problem.loaded.at(instance).launch;
  check_ = EnvironmentCheck{blamed.configuration, detail};
  DeathCount& deaths = contents_.problem.deaths[blamed.configuration];
  deaths.add(death);
  const bool is_condemned = deaths.count >= deaths_to_verdict_;
  const char* const follows = !is_condemned ? "tried once more in a fresh worker"
                              : deaths.held() >= deaths_to_verdict_
                                  ? "quarantined after two deaths"
                                  : "left out after two deaths, which came from outside perhaps";
  front.notes.push_back(fmt::format("{}: {}; {}", blamed.configuration, detail, follows));
  if (!is_condemned) {
    ++blamed.attempt;
    return;
  }
  conclude(answer_with(front.job, death.status), is_own ? std::nullopt : std::optional(instance));
}

// Has the samples of the first job taken one instance after the other. Instances that failed together stay apart,
// because one that fails by chance would fail among others again and again. `failure`: "" if none failed. `death`: of
// all of them together.
void LaneState::take_apart(const std::string& failure, const std::optional<Death>& death) {
  LaneWork& front = queue_.front();
  const auto& rounds = std::get<Rounds>(front.job);
  contents_.problem.is_apart = true;
  if (!failure.empty()) {
    front.is_repeated = true;
    front.notes.push_back(
        fmt::format("one of several that were sampled together: {}; sampled one at a time from here: {}", failure,
                    fmt::join(contents_.names_of(front.job), "; ")));
  }
  ApartRounds& apart = front.apart.emplace();
  for (const InstanceId id : rounds.slots)
    if (std::find(apart.instances.begin(), apart.instances.end(), id) == apart.instances.end())
      apart.instances.push_back(id);
  apart.samples_ns.resize(rounds.slots.size());
  apart.death = death;
  come_to_instance(apart, rounds);
  if (death)
    for (const InstanceId id : apart.instances)
      if (id != device_copy) contents_.deaths_of(id).add(*death);
}

// Gives the first job its result. `failed`: the instance that failed, of a job over loaded instances.
void LaneState::conclude(Answer answer, std::optional<InstanceId> failed) {
  LaneWork& front = queue_.front();
  if (failed && front.apart && front.apart->death)
    for (const InstanceId id : front.apart->instances)
      if (id != device_copy && id != failed) contents_.deaths_of(id).take_back(*front.apart->death);
  front.outcome.emplace();
  front.outcome->answer = std::move(answer);
  front.outcome->failed = failed;
  if (!check_) deliver();
}

void LaneState::deliver() {
  LaneWork work = std::move(queue_.front());
  queue_.pop_front();
  Result& result = actions_.results.emplace_back(*std::move(work.outcome));
  result.ticket = work.ticket;
  result.seconds = figures_.seconds(now_);
  if (work.is_repeated || result.failed) result.lost_seconds = result.seconds - work.began.value_or(result.seconds);
  result.worker = contents_.problem.worker;
  const Status* const status = status_of(result.answer);
  result.deaths = status != nullptr && status->sticky ? 1 : 0;
  if (const InstanceLaunch* const launch = contents_.subject_of(work.job, result.failed)) {
    result.attempt = launch->attempt;
    const auto deaths = contents_.problem.deaths.find(launch->configuration);
    if (deaths != contents_.problem.deaths.end()) result.deaths = std::max(result.deaths, deaths->second.held());
  }
  result.notes = std::move(work.notes);
  result.notes.insert(result.notes.end(), contents_.notes.begin(), contents_.notes.end());
  contents_.notes.clear();
  result.watched = std::exchange(figures_.watched, {});
}

void LaneState::fail(std::exception_ptr error, double now) {
  now_ = now;
  replace();
  begin_deaths_ = 0;
  try {
    if (error) std::rethrow_exception(error);
  } catch (const DeviceLost&) {  // a killed worker does not end: ending it again would only wait again
    actions_.replaces_worker = false;
  } catch (const Error& thrown) {
    if (check_ && !queue_.empty()) {
      if (++check_->failures < most_failed_checks) return;
      const std::string kernel = contents_.problem.begin ? contents_.problem.begin->setup.kernel : "no kernel";
      error = std::make_exception_ptr(Error(check_failure(check_->after, kernel, check_->detail, thrown.what())));
    }
  } catch (...) {
  }
  if (error && !queue_.empty()) {
    queue_.front().outcome.emplace().error = error;
    deliver();
  }
  queue_.clear();
  check_.reset();
  contents_.forget_problem();
}

// Has the worker ended, with all of its jobs.
void LaneState::replace() {
  errand_.reset();
  sent_ = 0;
  if (std::exchange(actions_.replaces_worker, true)) return;
  contents_.lose_worker();
  figures_.add_replaced();
}

}  // namespace attune
