#include "worker/device_lane.hpp"

#include <algorithm>
#include <utility>

#include "attune/error.hpp"
#include "base/start_thread.hpp"
#include "base/unix_ms.hpp"
#include "worker/answer_check.hpp"

namespace attune {
namespace {

using Clock = std::chrono::steady_clock;

// One job that the worker does, and one that waits in its pipe, so that the worker never waits for the coordinator.
constexpr std::size_t most_in_flight = 2;

// A job with a larger image is not sent ahead. A pipe holds a megabyte, and sending must not block while a job is under
// way.
constexpr std::size_t most_bytes_ahead = 512 << 10;

// How much may leak in a worker, as a share of the memory that was free after Begin. A worker with larger leaks is
// replaced, before it runs out of memory.
constexpr double leaked_share = 0.5;

std::size_t image_bytes(const Job& job) {
  const InstanceLaunch* const launch = launch_of(job);
  return launch != nullptr && launch->steps.image.code ? launch->steps.image.code->size() : 0;
}

std::optional<InstanceId> only_instance_of(const Job& job) {
  const std::vector<InstanceId> instances = instances_of(job);
  return instances.empty() || samples_several(job) ? std::nullopt : std::optional(instances.front());
}

void wait_from_now(Work& work, TimeLimit limit) {
  work.started_at = Clock::now();
  work.limit = limit;
}

}  // namespace

DeviceLane::DeviceLane(std::unique_ptr<Transport> transport, std::function<void(Result)> deliver)
    : transport_(std::move(transport)),
      deliver_(std::move(deliver)),
      recovery_(*transport_, contents_, figures_,
                [this](const Job& job, double seconds) {
                  const std::lock_guard lock(mutex_);
                  if (ends_ || abandons_) throw Error("the device worker is ended");
                  transport_->send(job, seconds);
                }),
      thread_(start_thread<std::thread>([this] { run(); })) {}

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
  } catch (const Error&) {  // no worker starts: the lane's thread will meet the same error and report it
    queue_.push_front(std::move(in_flight_.back()));
    in_flight_.pop_back();
  }
  changed_.notify_all();
}

void DeviceLane::abandon() {
  std::unique_lock lock(mutex_);
  queue_.clear();
  if (in_flight_.empty()) return;
  abandons_ = true;
  transport_->interrupt();
  changed_.wait(lock, [this] { return !abandons_; });
}

void DeviceLane::run() {
  for (;;) {
    try {
      if (!wait_for_work()) return;
      serve_front();
    } catch (const DeviceLost&) {  // a killed worker does not end: ending it again would only wait again
      fail();
    } catch (...) {
      try {
        transport_->restart();  // else it may answer jobs that are forgotten
      } catch (const Error&) {  // the device is lost, as the next job shows
      }
      fail();
    }
  }
}

// Reports that the environment is at fault: the first job's result holds the present exception, and the other jobs are
// dropped. It must be called in a catch block, when the worker is ended or lost.
void DeviceLane::fail() {
  Result result;
  result.error = std::current_exception();
  Work work;
  {
    const std::lock_guard lock(mutex_);
    if (abandons_) return forget();
    if (!in_flight_.empty()) work = std::move(in_flight_.front());
    forget();
  }
  deliver(std::move(work), std::move(result));
}

// Forgets the problem and all jobs of a worker that is ended or lost. The caller holds the mutex.
void DeviceLane::forget() {
  is_recovering_ = false;
  in_flight_.clear();
  queue_.clear();
  contents_.forget_problem();
  contents_.worker_lost();
  figures_.add_replaced();
  abandons_ = false;
  changed_.notify_all();
}

// Waits for jobs, and sends those that the worker can do as it is. Returns false when the lane ends.
bool DeviceLane::wait_for_work() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return ends_ || !in_flight_.empty() || !queue_.empty(); });
  if (ends_ && in_flight_.empty()) return false;
  send_queued();
  if (in_flight_.empty()) {  // the worker must be prepared for this job first
    in_flight_.push_back(std::move(queue_.front()));
    queue_.pop_front();
    is_recovering_ = true;
  }
  return true;
}

// The caller holds the mutex.
void DeviceLane::send_queued() {
  while (!queue_.empty() && in_flight_.size() < most_in_flight && !is_recovering_) {
    Work& next = queue_.front();
    const bool is_ahead = !in_flight_.empty();
    if (!contents_.is_ready_for(next.job) || (is_ahead && image_bytes(next.job) > most_bytes_ahead)) return;
    wait_from_now(next, contents_.to_begin());
    next.began = figures_.seconds();
    in_flight_.push_back(std::move(next));
    queue_.pop_front();
    transport_->send(in_flight_.back().job, contents_.limit(in_flight_.back().job).seconds);
  }
}

void DeviceLane::serve_front() {
  // Other threads only add jobs behind the front, so the reference stays valid without the lock.
  std::unique_lock lock(mutex_);
  Work& front = in_flight_.front();
  const bool needs_more = is_recovering_;
  lock.unlock();
  if (needs_more) return recover([this](Work& work) { return recovery_.make_ready(work); });
  const double left = front.limit.seconds - std::chrono::duration<double>(Clock::now() - front.started_at).count();
  Received received = transport_->receive({std::max(left, 0.0), front.limit.forgives_waiting});
  if (received.end != Received::End::replied) {
    lock.lock();
    if (ends_) return in_flight_.clear();
    if (abandons_) return forget();
    lock.unlock();
    return recover([&](Work& work) { return recovery_.after_loss(work, received); });
  }
  if (std::holds_alternative<Started>(received.reply.answer)) {
    if (front.started) return wait_from_now(front, contents_.limit_of_reference(front.job));
    front.started = true;
    contents_.note_open();
    front.began = figures_.seconds();
    wait_from_now(front, contents_.limit(front.job));
    front.begun_at = front.started_at;
    return;
  }
  figures_.add(received.reply, front.job);
  check_answer(front.job, received.reply.answer);
  const bool is_spoiled = !received.reply.changed.empty() && isolates();
  if (is_spoiled) {
    contents_.spoil(front.job, received.reply.changed);
    lock.lock();
    const bool has_more = in_flight_.size() > 1;
    take_back_ahead();
    lock.unlock();
    if (has_more) contents_.wear();  // its pipe holds these jobs, and it would answer them first
  }
  finish(std::move(received.reply.answer), is_spoiled);
}

// Takes the jobs after the first one back into the queue, to be sent again. The caller holds the mutex.
void DeviceLane::take_back_ahead() {
  for (; in_flight_.size() > 1; in_flight_.pop_back()) queue_.push_front(std::move(in_flight_.back()));
}

// Lets `how` find the first job's result, and delivers it. Without a result, the first job is sent again. Later jobs
// are sent again in any case.
void DeviceLane::recover(const std::function<std::optional<Result>(Work&)>& how) {
  std::unique_lock lock(mutex_);
  is_recovering_ = true;
  take_back_ahead();
  Work& front = in_flight_.front();
  lock.unlock();
  std::optional<Result> result = how(front);
  lock.lock();
  if (abandons_) throw Error("abandoned");
  Work work = std::move(in_flight_.front());
  in_flight_.clear();
  is_recovering_ = false;
  if (!result) return queue_.push_front(std::move(work));
  lock.unlock();
  deliver(std::move(work), std::move(*result));
}

// Handles an answer to the first job, of which no worker died. `is_spoiled`: kernels of the job changed the worker.
void DeviceLane::finish(Answer answer, bool is_spoiled) {
  std::unique_lock lock(mutex_);
  Work& front = in_flight_.front();
  lock.unlock();
  const Clock::time_point begun_at = front.started ? front.begun_at : front.started_at;
  contents_.note(front.job, answer, std::chrono::duration<double>(Clock::now() - begun_at).count());
  const auto* const tried = std::get_if<Tried>(&answer);
  const bool is_worn =
      tried != nullptr && tried->free_bytes > 0 &&
      static_cast<double>(tried->free_bytes) < (1 - leaked_share) * static_cast<double>(contents_.free_at_begin());
  if (is_worn && isolates()) contents_.wear();
  const Status* const status = status_of(answer);
  const bool failed = status != nullptr && !status->ok();
  const bool can_go_on = failed && (isolates() || !status->sticky);
  if (can_go_on && status->sticky)
    return recover([&](Work& work) { return std::optional(recovery_.after_death(work, {*status})); });
  const bool is_done_again = (can_go_on || is_spoiled) && samples_several(front.job);
  if (is_done_again && failed) recovery_.keep_apart(front, *status);
  if (is_done_again) contents_.keep_apart();
  Result result;
  result.deaths = failed && status->sticky ? 1 : 0;
  if (const auto* rounds = std::get_if<Rounds>(&front.job); failed && rounds != nullptr)
    result.failed = rounds->slots.front();
  result.answer = std::move(answer);
  lock.lock();
  if (abandons_) throw Error("abandoned");  // the answer came too late
  Work work = std::move(in_flight_.front());
  in_flight_.pop_front();
  // The time of the next job begins when the worker comes to that job.
  if (!in_flight_.empty()) wait_from_now(in_flight_.front(), contents_.to_begin());
  if (is_done_again) return queue_.push_front(std::move(work));
  lock.unlock();
  deliver(std::move(work), std::move(result));
}

void DeviceLane::deliver(Work work, Result result) {
  result.ticket = work.ticket;
  result.seconds = figures_.seconds();
  if (work.is_repeated || result.failed) result.lost_seconds = result.seconds - work.began;
  result.worker = contents_.worker();
  result.made_ms = unix_ms();
  if (const InstanceLaunch* const launch = launch_of(work.job)) {
    result.attempt = launch->attempt;
    result.deaths = std::max(result.deaths, contents_.deaths_of(launch->configuration).held());
  } else if (const std::optional<InstanceId> subject = result.failed ? result.failed : only_instance_of(work.job)) {
    if (const std::optional<WorkerContents::Past> past = contents_.past_of(*subject)) {
      result.attempt = past->attempt;
      result.deaths = std::max(result.deaths, past->deaths);
    }
  }
  result.notes.insert(result.notes.begin(), work.notes.begin(), work.notes.end());
  for (std::string& note : contents_.take_notes()) result.notes.push_back(std::move(note));
  result.watched = figures_.take_watched();
  deliver_(std::move(result));
}

}  // namespace attune
