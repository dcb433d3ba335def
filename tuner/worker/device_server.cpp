#include "worker/device_server.hpp"

#include <algorithm>

#include "attune/error.hpp"

namespace attune {
namespace {

// How many steps the energy counter must take within a window. With fewer steps, the counter's granularity matters more
// than the launches.
constexpr int least_steps = 10;

// How much longer launches go on than the window. The window begins and ends with a step of the counter, and this is
// the time of two steps of the slowest counter.
constexpr double steps_seconds = 0.2;

// The device's free memory is read at one trial of so many.
constexpr std::int64_t trials_between_looks = 8;

}  // namespace

Failure failure_of_current_exception() {
  try {
    throw;
  } catch (const OutOfMemory& error) {
    return {Failure::Kind::out_of_memory, error.what()};
  } catch (const UsageError& error) {
    return {Failure::Kind::usage, error.what()};
  } catch (const StepsFailure& error) {
    return {Failure::Kind::steps, error.what(), error.verdict};
  } catch (const std::exception& error) {
    return {Failure::Kind::error, error.what()};
  }
}

Reply DeviceServer::answer(const Job& job) {
  Reply reply;
  try {
    reply.answer = std::visit([this](const auto& held) { return handle(held); }, job);
  } catch (const std::exception&) {
    reply.answer = failure_of_current_exception();
  }
  reply.seconds = instruments().seconds();
  reply.watched = watch_.take();
  return reply;
}

Runner& DeviceServer::runner() {
  if (!runner_) throw Error("no problem was begun on this device worker");
  return *runner_;
}

Answer DeviceServer::handle(const OpenDevice&) {
  return DeviceFacts{testbed_->info(), instruments().has_own_clock(), instruments().state().energy_j.has_value(),
                     instruments().other_users()};
}

Answer DeviceServer::handle(const Begin& job) {
  runner_.reset();  // frees the memory of the last problem first
  runner_ = testbed_->begin(job.setup, goes_on_);
  return BeginAnswer{runner_->free_bytes()};
}

TryAnswer DeviceServer::load_and_check(const InstanceLaunch& launch) {
  TryAnswer tried;
  tried.status = runner().load(launch);
  if (!tried.status.ok()) return tried;
  tried.status = runner().check(launch.instance, tried.numerics);
  // Reading the free memory takes 0.1 to 0.2 ms.
  const bool asks = checked_++ % trials_between_looks == 0 && !tried.status.sticky;
  if (asks) tried.free_bytes = runner().free_bytes();
  return tried;
}

// Checks attune's own data at the end of each job that launches. So an instance that writes far outside its arrays
// fails itself and does not spoil a later one. A fresh worker then makes the data again.
void DeviceServer::check_own(Status& status) {
  if (status.sticky) return;
  if (Status own = runner().check_own(); !own.ok()) status = std::move(own);
}

Answer DeviceServer::handle(const Load& job) {
  TryAnswer tried = load_and_check(job.launch);
  if (tried.status.ok() && job.warm_up.milliseconds > 0) tried.status = warm_up(job.launch.instance, job.warm_up);
  check_own(tried.status);
  if (!tried.status.ok() && !tried.status.sticky) runner().release(job.launch.instance);
  return tried;
}

Answer DeviceServer::handle(const Try& job) {
  TryAnswer tried = load_and_check(job.launch);
  if (tried.status.ok()) sample(job, tried);
  check_own(tried.status);
  if (!tried.status.sticky) runner().release(job.launch.instance);
  return tried;
}

void DeviceServer::sample(const Try& job, TryAnswer& tried) {
  const InstanceId instance = job.launch.instance;
  DeviceTimes samples = runner().sample(instance, job.plan);
  tried.samples_ns = std::move(samples.nanoseconds);
  tried.status = std::move(samples.status);
  if (tried.status.ok() && runner().has_scratch(instance))
    tried.status = runner().check_again(instance, tried.numerics);
}

Answer DeviceServer::handle(const Rounds& job) {
  DeviceTimes samples = runner().sample_in_turn(job.slots, job.plan);
  check_own(samples.status);
  return RoundsAnswer{std::move(samples.status), std::move(samples.nanoseconds)};
}

Answer DeviceServer::handle(const CheckAgain& job) {
  CheckAnswer checked;
  checked.status = runner().check_again(job.instance, checked.numerics);
  if (job.repeats && checked.status.ok()) checked.status = runner().repeat(job.instance, checked.deterministic);
  check_own(checked.status);
  return checked;
}

Status DeviceServer::warm_up(InstanceId instance, const WarmUpPlan& plan) {
  Status status;
  double elapsed_ms = 0;
  const double begin = instruments().seconds();
  do {
    status = runner().warm_up(instance, std::min(WarmUpPlan::window_ms, plan.milliseconds));
    elapsed_ms = 1e3 * (instruments().seconds() - begin);
    if (instruments().has_own_clock()) break;  // what has a clock of its own does not get warm
  } while (status.ok() && !is_warm(elapsed_ms, watch_.last_clocks(WarmUpPlan::windows), plan));
  return status;
}

Answer DeviceServer::handle(const Meter& job) {
  MeterAnswer metered;
  metered.status = runner().launch_for(job.instance, job.plan, job.warm_seconds, [](const LaunchCount&) {});
  if (!metered.status.ok()) return metered;
  std::vector<LaunchCount> launched;
  watch_.meter_energy();
  metered.status =
      runner().launch_for(job.instance, job.plan, job.seconds + steps_seconds, [&](const LaunchCount& by_now) {
        launched.push_back(by_now);
        watch_.follow_own_clock();
      });
  const std::vector<CounterReading> readings = watch_.take_energy();
  check_own(metered.status);
  if (metered.status.ok()) metered.energy = energy_of_launch(readings, launched, least_steps);
  return metered;
}

Answer DeviceServer::handle(const Release& job) {
  runner().release(job.instance);
  return Acknowledgement{};
}

template <typename Other>
Answer DeviceServer::handle(const Other&) {
  throw Error("a device worker does not compile");
}

}  // namespace attune
