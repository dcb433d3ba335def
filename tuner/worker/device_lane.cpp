#include "worker/device_lane.hpp"

#include <utility>

#include "attune/error.hpp"
#include "base/await.hpp"
#include "base/start_thread.hpp"
#include "base/steady_seconds.hpp"
#include "base/unix_ms.hpp"

namespace attune {

DeviceLane::DeviceLane(std::unique_ptr<Transport> transport, std::function<void(Result)> deliver)
    : transport_(std::move(transport)),
      deliver_(std::move(deliver)),
      state_(transport_->isolates()),
      thread_(start_thread<std::thread>([this] { run(); })) {}

DeviceLane::~DeviceLane() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
    if (state_.is_busy()) transport_->interrupt();
  }
  changed_.notify_all();
  thread_.join();
}

void DeviceLane::submit(Ticket ticket, Job job) {
  const std::lock_guard lock(mutex_);
  state_.submit(ticket, std::move(job));
  if (!state_.is_busy()) return changed_.notify_all();
  try {
    act(state_.next(steady_seconds()));  // the lane's thread waits for the worker's reply to the job before
  } catch (const Error&) {               // the worker is gone, as that thread is about to learn
  }
}

void DeviceLane::abandon() {
  std::unique_lock lock(mutex_);
  state_.drop_jobs();
  if (!state_.is_busy()) return;
  abandons_ = true;
  transport_->interrupt();
  await(changed_, lock, [this] { return !abandons_; });
}

void DeviceLane::set_known_good(std::optional<KnownGood> known_good) {
  const std::lock_guard lock(mutex_);
  state_.set_known_good(std::move(known_good));
}

void DeviceLane::set_deaths_to_verdict(int deaths) {
  const std::lock_guard lock(mutex_);
  state_.set_deaths_to_verdict(deaths);
}

LaneFigures DeviceLane::figures() const {
  const std::lock_guard lock(mutex_);
  return state_.figures();
}

void DeviceLane::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    await(changed_, lock, [this] { return ends_ || state_.has_work(); });
    if (ends_) return;
    std::exception_ptr error;
    try {
      const std::optional<TimeLimit> limit = act(state_.next(steady_seconds()));
      if (!limit) continue;
      Receipt received = receive(lock, *limit);
      if (!abandons_) state_.receive(std::move(received), steady_seconds());
    } catch (...) {
      error = std::current_exception();
    }
    if (error || abandons_) state_.fail(error, steady_seconds());
    if (std::exchange(abandons_, false)) changed_.notify_all();
  }
}

// Does what has to be done now. Returns how long the worker's next reply is waited for; nothing: it has no job.
std::optional<TimeLimit> DeviceLane::act(LaneActions actions) {
  for (Result& result : actions.results) {
    result.made_ms = unix_ms();
    deliver_(std::move(result));
  }
  if (actions.replaces_worker) transport_->restart();
  for (const auto& [job, seconds] : actions.sends) transport_->send(job, seconds);
  return actions.waits;
}

// Waits without the lock, so that jobs can be submitted meanwhile.
Receipt DeviceLane::receive(std::unique_lock<std::mutex>& lock, TimeLimit limit) {
  lock.unlock();
  try {
    Receipt received = transport_->receive(limit);
    lock.lock();
    return received;
  } catch (...) {
    lock.lock();
    throw;
  }
}

}  // namespace attune
