#include "worker/device_lane.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include "attune/error.hpp"

namespace attune {
namespace {

// One job that the worker does, and one that waits in its pipe, so that it never waits for the coordinator.
constexpr std::size_t most_in_flight = 2;

// A job with a larger image waits here: a pipe holds a megabyte, and nothing may block behind a job under way.
constexpr std::size_t most_bytes_ahead = 512 << 10;

// A worker that has lost so much of its memory to what it ran is replaced before it fails for want of it.
constexpr double leaked_share = 0.5;

constexpr double most_seconds = 1e12;  // what is beyond, or goes back, is no clock

constexpr double most_joules = 1e9, most_energy_error = 1;  // what is beyond is no energy of a launch

// What no clock can show is no time: a clock that fails must not make a winner.
bool is_time(double nanoseconds) { return nanoseconds > 0 && nanoseconds < 1e18; }

std::size_t image_bytes(const Job& job) {
  const auto* const tried = std::get_if<Try>(&job);
  return tried != nullptr && tried->launch.steps.image.code ? tried->launch.steps.image.code->size() : 0;
}

int batch_of(const Job& job) {
  if (const auto* tried = std::get_if<Try>(&job)) return tried->plan.batch;
  if (const auto* rounds = std::get_if<Rounds>(&job)) return rounds->plan.batch;
  return 1;
}

void distrust_samples(const std::vector<double>& samples_ns, Status& status) {
  if (!status.ok()) return;
  const auto wrong = std::find_if_not(samples_ns.begin(), samples_ns.end(), is_time);
  if (wrong != samples_ns.end())
    status = {Verdict::unstable, "the device's clock gave " + std::to_string(*wrong) + " ns", false};
}

void distrust(const Job& job, Answer& answer) {
  if (auto* tried = std::get_if<Tried>(&answer)) {
    distrust_samples(tried->samples_ns, tried->status);
    const bool wants_samples = std::holds_alternative<Try>(job);
    if (wants_samples && tried->status.ok() && tried->samples_ns.empty())
      tried->status = {Verdict::unstable, "the device worker gave no sample", false};
  }
  if (auto* sampled = std::get_if<Sampled>(&answer)) {
    distrust_samples(sampled->samples_ns, sampled->status);
    const std::size_t wanted = std::get<Rounds>(job).turns.size(), count = sampled->samples_ns.size();
    if (sampled->status.ok() && count != wanted)
      sampled->status = {Verdict::unstable,
                         "the device worker gave " + std::to_string(count) + " samples instead of " +
                             std::to_string(wanted),
                         false};
  }
  if (auto* metered = std::get_if<MeteredEnergy>(&answer); metered != nullptr && metered->energy) {
    const LaunchEnergy& energy = *metered->energy;
    const bool is_energy =
        energy.joules > 0 && energy.joules < most_joules && energy.error >= 0 && energy.error < most_energy_error;
    if (metered->status.ok() && !is_energy)
      *metered = {
          {Verdict::unstable, "the device's energy counter gave " + std::to_string(energy.joules) + " J", false}, {}};
  }
}

// Whether an answer is of the kind that the job asks for; a failure always is.
bool answers(const Job& job, const Answer& answer) {
  struct Asked {
    const Answer& answer;
    bool operator()(const OpenDevice&) const { return std::holds_alternative<DeviceOpened>(answer); }
    bool operator()(const Begin&) const { return std::holds_alternative<Begun>(answer); }
    bool operator()(const Load&) const { return std::holds_alternative<Tried>(answer); }
    bool operator()(const Try&) const { return std::holds_alternative<Tried>(answer); }
    bool operator()(const Rounds&) const { return std::holds_alternative<Sampled>(answer); }
    bool operator()(const CheckAgain&) const { return std::holds_alternative<CheckedAgain>(answer); }
    bool operator()(const Meter&) const { return std::holds_alternative<MeteredEnergy>(answer); }
    bool operator()(const Release&) const { return std::holds_alternative<Done>(answer); }
    bool operator()(const OpenCompiler&) const { return false; }
    bool operator()(const Compile&) const { return false; }
  };
  return std::holds_alternative<Failure>(answer) || std::visit(Asked{answer}, job);
}

}  // namespace

std::vector<InstanceId> instances_of(const Job& job) {
  if (const auto* rounds = std::get_if<Rounds>(&job)) return rounds->turns;
  if (const auto* again = std::get_if<CheckAgain>(&job)) return {again->instance};
  if (const auto* meter = std::get_if<Meter>(&job)) return {meter->instance};
  return {};
}

bool samples_several(const Job& job) {
  const auto* const rounds = std::get_if<Rounds>(&job);
  return rounds != nullptr && std::adjacent_find(rounds->turns.begin(), rounds->turns.end(), std::not_equal_to<>()) !=
                                  rounds->turns.end();
}

[[noreturn]] void throw_failure(const Failure& failure) {
  if (failure.kind == Failure::Kind::out_of_memory) throw OutOfMemory(failure.text);
  if (failure.kind == Failure::Kind::usage) throw UsageError(failure.text);
  throw Error(failure.text);
}

// What a worker says is not believed where it cannot be. Throws Error for an answer to another job.
void DeviceLane::trust(const Job& job, Answer& answer) {
  if (!answers(job, answer))
    throw Error("a worker gave another answer than the job asks for; coordinator and worker must be the same build");
  distrust(job, answer);
}

DeviceLane::DeviceLane(std::unique_ptr<Transport> transport, std::function<void(Result)> deliver)
    : transport_(std::move(transport)), deliver_(std::move(deliver)), thread_([this] { run(); }) {}

DeviceLane::~DeviceLane() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
    queue_.clear();
    if (!in_flight_.empty()) transport_->interrupt();
  }
  changed_.notify_all();
  thread_.join();
}

void DeviceLane::submit(Ticket ticket, Job job) {
  const std::lock_guard lock(mutex_);
  Work& work = queue_.emplace_back();
  work.ticket = ticket;
  work.job = std::move(job);
  try {
    if (!in_flight_.empty()) send_queued();
  } catch (const Error&) {  // no worker starts: the lane's thread will find out, and say so
    queue_.push_front(std::move(in_flight_.back()));
    in_flight_.pop_back();
  }
  changed_.notify_all();
}

void DeviceLane::set_known_good(std::optional<KnownGood> known_good) {
  const std::lock_guard lock(mutex_);
  deadlines_.anchor_seconds = known_good ? known_good->launch_seconds : 0;
  known_good_ = std::move(known_good);
}

int DeviceLane::replaced() const {
  const std::lock_guard lock(mutex_);
  return figures_.replaced;
}

double DeviceLane::busy_seconds() const {
  const std::lock_guard lock(mutex_);
  return figures_.busy_seconds;
}

double DeviceLane::timed_seconds() const {
  const std::lock_guard lock(mutex_);
  return figures_.timed_seconds;
}

double DeviceLane::seconds() const {
  if (figures_.own_clock) return figures_.clock_before + figures_.clock;
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

void DeviceLane::run() {
  for (;;) {
    try {
      if (!wait_for_work()) return;
      serve_front();
    } catch (...) {
      Work work;
      {
        const std::lock_guard lock(mutex_);
        is_recovering_ = false;
        if (!in_flight_.empty()) work = std::move(in_flight_.front());
        in_flight_.clear();
        queue_.clear();
        forget_problem();
        count_replaced();
      }
      Result result;
      result.error = std::current_exception();
      try {
        transport_->restart();  // which may still answer what is forgotten
      } catch (const Error&) {  // the device is lost, as the next job shows
      }
      deliver(std::move(work), std::move(result));
    }
  }
}

// Under the mutex.
void DeviceLane::forget_problem() {
  problem_.reset();
  known_good_.reset();
  loaded_.clear();
  deadlines_.anchor_seconds = 0;
  is_apart_ = false;
}

// Under the mutex. The clock of the next worker's device may begin at 0.
void DeviceLane::count_replaced() {
  ++figures_.replaced;
  figures_.clock_before += std::exchange(figures_.clock, 0);
  is_stale_ = false;
}

// Under the mutex.
void DeviceLane::wait_from_now(Work& work, double seconds) {
  work.started_at = Clock::now();
  work.deadline = work.started_at + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

// What the worker is given next. False at the end.
bool DeviceLane::wait_for_work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (ends_ && in_flight_.empty()) return false;
    if (!in_flight_.empty()) {
      send_queued();
      return true;
    }
    if (!queue_.empty()) {
      if (!is_stale_ && can_be_sent(queue_.front().job)) {
        send_queued();
        continue;
      }
      in_flight_.push_back(std::move(queue_.front()));  // see prepare_front()
      queue_.pop_front();
      is_recovering_ = true;
      return true;
    }
    changed_.wait(lock);
  }
}

// Without anything that has to be done before.
bool DeviceLane::can_be_sent(const Job& job) const {
  if (is_apart_ && samples_several(job)) return false;
  const std::vector<InstanceId> wanted = instances_of(job);
  return std::all_of(wanted.begin(), wanted.end(), [this](InstanceId id) {
    const auto found = loaded_.find(id);
    return found == loaded_.end() || found->second.is_there;
  });
}

// Under the mutex.
void DeviceLane::send_queued() {
  while (!queue_.empty() && in_flight_.size() < most_in_flight && !is_recovering_ && !is_stale_) {
    Work& next = queue_.front();
    const bool is_ahead = !in_flight_.empty();
    if (!can_be_sent(next.job) || (is_ahead && image_bytes(next.job) > most_bytes_ahead)) return;
    const double limit = deadlines_.of(next.job);
    wait_from_now(next, limit + Deadlines::open_seconds);
    next.began = seconds();
    in_flight_.push_back(std::move(next));
    queue_.pop_front();
    transport_->send(in_flight_.back().job, limit);
  }
}

// What one job needs before it can be sent: a fresh worker, instances that this one lacks.
void DeviceLane::prepare_front() {
  Work work = [this] {
    const std::lock_guard lock(mutex_);
    return in_flight_.front();
  }();
  if (is_stale_) start_afresh();
  work.began = seconds();
  std::optional<Result> result;
  if (is_apart_ && samples_several(work.job))
    result = one_at_a_time(work);
  else
    result = load_missing(work, work.job, work.deaths);
  if (!result) {
    const std::lock_guard lock(mutex_);
    in_flight_.clear();
    is_recovering_ = false;
    queue_.push_front(std::move(work));
    return send_queued();
  }
  end_recovery();
  deliver(std::move(work), std::move(*result));
}

void DeviceLane::serve_front() {
  if (is_recovering_) return prepare_front();
  // Other threads add behind the front, which stays where it is.
  Work& front = [this]() -> Work& {
    const std::lock_guard lock(mutex_);
    return in_flight_.front();
  }();
  const double left = std::chrono::duration<double>(front.deadline - Clock::now()).count();
  Heard heard = transport_->receive(std::max(left, 0.0));
  if (heard.end != Heard::End::replied) return recover(heard);
  if (!front.started && std::holds_alternative<Started>(heard.reply.answer)) {
    const std::lock_guard lock(mutex_);
    front.started = true;
    front.began = seconds();
    return wait_from_now(front, deadlines_.of(front.job));
  }
  follow(heard.reply, front.job);
  trust(front.job, heard.reply.answer);
  Work work = std::move(front);
  {
    const std::lock_guard lock(mutex_);
    in_flight_.pop_front();
    // The next one's time begins when the worker comes to it.
    if (!in_flight_.empty())
      wait_from_now(in_flight_.front(), deadlines_.of(in_flight_.front().job) + Deadlines::open_seconds);
  }
  finish(std::move(work), std::move(heard.reply.answer));
}

void DeviceLane::follow(Reply& reply, const Job& job) {
  const std::lock_guard lock(mutex_);
  if (const auto* opened = std::get_if<DeviceOpened>(&reply.answer)) figures_.own_clock = opened->own_clock;
  if (reply.seconds >= figures_.clock && reply.seconds < most_seconds) figures_.clock = reply.seconds;
  if (reply.worked_seconds >= 0 && reply.worked_seconds < most_seconds) figures_.busy_seconds += reply.worked_seconds;
  const auto* tried = std::get_if<Tried>(&reply.answer);
  const auto* sampled = std::get_if<Sampled>(&reply.answer);
  if (tried != nullptr || sampled != nullptr)
    for (const double nanoseconds : tried != nullptr ? tried->samples_ns : sampled->samples_ns)
      if (is_time(nanoseconds)) figures_.timed_seconds += nanoseconds * batch_of(job) * 1e-9;
  Watched& watched = figures_.watched;
  std::move(reply.watched.states.begin(), reply.watched.states.end(), std::back_inserter(watched.states));
  std::move(reply.watched.users.begin(), reply.watched.users.end(), std::back_inserter(watched.users));
}

// What the worker holds now.
void DeviceLane::note_loaded(const Work& work, const Answer& answer) {
  const std::lock_guard lock(mutex_);
  if (const auto* begin = std::get_if<Begin>(&work.job)) {
    forget_problem();
    const auto* const begun = std::get_if<Begun>(&answer);
    if (begun == nullptr) return;
    problem_ = *begin;
    deadlines_.begin_seconds = std::chrono::duration<double>(Clock::now() - work.started_at).count();
    free_at_begin_ = begun->free_bytes;
  }
  const auto* const tried = std::get_if<Tried>(&answer);
  if (const auto* load = std::get_if<Load>(&work.job); load != nullptr && tried != nullptr && tried->status.ok())
    loaded_.insert_or_assign(load->launch.instance, Loaded{load->launch, true});
  if (const auto* release = std::get_if<Release>(&work.job)) loaded_.erase(release->instance);
}

// An answer to a job that no worker died of.
void DeviceLane::finish(Work work, Answer answer) {
  note_loaded(work, answer);
  const auto* const tried = std::get_if<Tried>(&answer);
  if (tried != nullptr && tried->free_bytes > 0 &&
      static_cast<double>(tried->free_bytes) < (1 - leaked_share) * static_cast<double>(free_at_begin_)) {
    const std::lock_guard lock(mutex_);
    is_stale_ = transport_->isolates();
  }
  Status* const status = status_of(answer);
  const bool failed = status != nullptr && !status->ok();
  const bool can_go_on = failed && (transport_->isolates() || !status->sticky);
  if (can_go_on && status->sticky) return after_death(std::move(work), *status);
  if (can_go_on && samples_several(work.job)) return keep_apart(std::move(work), *status);
  Result result;
  result.deaths = failed && status->sticky ? 1 : 0;
  if (const auto* rounds = std::get_if<Rounds>(&work.job); failed && rounds != nullptr)
    result.failed = rounds->turns.front();
  result.answer = std::move(answer);
  deliver(std::move(work), std::move(result));
}

void DeviceLane::deliver(Work work, Result result) {
  {
    const std::lock_guard lock(mutex_);
    result.ticket = work.ticket;
    result.seconds = seconds();
    if (work.is_repeated || work.deaths > 0 || result.failed) result.lost_seconds = result.seconds - work.began;
    result.deaths = std::max(result.deaths, work.deaths);
    if (const auto* tried = std::get_if<Try>(&work.job)) result.attempt = tried->launch.attempt;
    if (const auto* load = std::get_if<Load>(&work.job)) result.attempt = load->launch.attempt;
    for (const InstanceId id : instances_of(work.job))
      if (const auto found = loaded_.find(id); found != loaded_.end()) result.attempt = found->second.launch.attempt;
    result.notes.insert(result.notes.begin(), work.notes.begin(), work.notes.end());
    result.watched = std::exchange(figures_.watched, {});
  }
  deliver_(std::move(result));
}

}  // namespace attune
