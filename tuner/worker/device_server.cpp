#include "worker/device_server.hpp"

#include <algorithm>

#include "attune/error.hpp"

namespace attune {
namespace {

// Of the energy counter within a window: fewer, and how it moves decides more than what was launched.
constexpr int kLeastSteps = 10;

// What is counted begins and ends with a step: for so much longer it is launched, two steps of the slowest counter.
constexpr double kStepsSeconds = 0.2;

}  // namespace

Failure failure_of_current_exception() {
  try {
    throw;
  } catch (const OutOfMemory& error) {
    return {Failure::Kind::out_of_memory, error.what()};
  } catch (const UsageError& error) {
    return {Failure::Kind::usage, error.what()};
  } catch (const std::exception& error) {
    return {Failure::Kind::error, error.what()};
  }
}

Reply DeviceServer::answer(const Request& request) {
  Reply reply;
  try {
    reply.answer = std::visit([this](const auto& held) { return handle(held); }, request);
  } catch (const std::exception&) {
    reply.answer = failure_of_current_exception();
  }
  reply.seconds = device_.seconds();
  reply.watched = watch_.take();
  return reply;
}

TrialBench& DeviceServer::bench() {
  if (!bench_) throw Error("no problem was begun on this device worker");
  return *bench_;
}

Answer DeviceServer::handle(const OpenDevice&) {
  return DeviceOpened{device_.info(), device_.has_own_clock(), device_.state().energy_j.has_value(),
                      device_.other_users()};
}

Answer DeviceServer::handle(const BeginProblem& request) {
  bench_.reset();  // the memory of the last problem first
  bench_ = std::make_unique<TrialBench>(device_, request.setup);
  TrialOutcome outcome;
  outcome.free_bytes = device_.free_memory();
  return outcome;
}

Answer DeviceServer::handle(const LoadTrial& request) {
  if (trying_) trying_(request.launch.configuration, request.launch.attempt);
  TrialOutcome outcome;
  outcome.status = bench().load(request.candidate, request.launch.steps);
  return outcome;
}

Answer DeviceServer::handle(const CheckCandidate& request) {
  TrialOutcome outcome;
  outcome.status = bench().check(request.candidate, outcome.numerics);
  outcome.free_bytes = outcome.status.sticky ? 0 : device_.free_memory();
  return outcome;
}

Answer DeviceServer::handle(const SampleCandidate& request) {
  Samples samples = bench().sample(request.candidate, request.plan);
  return Sampled{std::move(samples.status), std::move(samples.nanoseconds)};
}

Answer DeviceServer::handle(const SampleInTurn& request) {
  Samples samples = bench().sample_in_turn(request.candidates, request.plan);
  return Sampled{std::move(samples.status), std::move(samples.nanoseconds)};
}

Answer DeviceServer::handle(const FillWithSamples& request) {
  Samples samples =
      bench().sample_while(request.candidate, request.plan, [this] { return request_waits_ && !request_waits_(); });
  return Sampled{std::move(samples.status), std::move(samples.nanoseconds)};
}

Answer DeviceServer::handle(const RecheckCandidate& request) {
  TrialOutcome outcome;
  outcome.status = bench().recheck(request.candidate, outcome.numerics);
  if (request.repeats && outcome.status.ok()) outcome.status = bench().repeat(request.candidate, outcome.deterministic);
  return outcome;
}

Answer DeviceServer::handle(const WarmUpCandidate& request) {
  TrialOutcome outcome;
  double elapsed_ms = 0;
  const double begin = device_.seconds();
  do {
    outcome.status = bench().warm_up(request.candidate, std::min(WarmUpPlan::window_ms, request.plan.milliseconds));
    elapsed_ms = 1e3 * (device_.seconds() - begin);
    if (device_.has_own_clock()) break;  // nothing there gets warm
  } while (outcome.status.ok() && !is_warm(elapsed_ms, watch_.last_clocks(WarmUpPlan::windows), request.plan));
  return outcome;
}

Answer DeviceServer::handle(const MeterCandidate& request) {
  MeteredEnergy metered;
  metered.status = bench().launch_for(request.candidate, request.plan, request.warm_seconds, [](const Launched&) {});
  if (!metered.status.ok()) return metered;
  std::vector<Launched> launched;
  watch_.meter_energy();
  metered.status =
      bench().launch_for(request.candidate, request.plan, request.seconds + kStepsSeconds, [&](const Launched& by_now) {
        launched.push_back(by_now);
        watch_.follow_own_clock();
      });
  const std::vector<Metered> readings = watch_.take_energy();
  if (metered.status.ok()) metered.energy = energy_of_launch(readings, launched, kLeastSteps);
  return metered;
}

Answer DeviceServer::handle(const ReleaseCandidate& request) {
  bench().release(request.candidate);
  return Done{};
}

template <typename Other>
Answer DeviceServer::handle(const Other&) {
  throw Error("a device worker does not compile");
}

}  // namespace attune
