#include "worker/device_server.hpp"

#include "attune/error.hpp"

namespace attune {

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
  return reply;
}

TrialBench& DeviceServer::bench() {
  if (!bench_) throw Error("no problem was begun on this device worker");
  return *bench_;
}

Answer DeviceServer::handle(const OpenDevice&) {
  return DeviceOpened{device_.info(), device_.has_own_clock(), device_.other_users()};
}

Answer DeviceServer::handle(const BeginProblem& request) {
  bench_.reset();  // the memory of the last problem first
  bench_ = std::make_unique<TrialBench>(device_, request.setup);
  return TrialOutcome{{}, 0, device_.free_memory()};
}

Answer DeviceServer::handle(const LoadTrial& request) {
  if (trying_) trying_(request.launch.configuration, request.launch.attempt);
  TrialOutcome outcome;
  outcome.status = bench().load(request.candidate, request.launch.steps);
  return outcome;
}

Answer DeviceServer::handle(const CheckCandidate& request) {
  TrialOutcome outcome;
  outcome.status = bench().check(request.candidate, outcome.max_error);
  outcome.free_bytes = outcome.status.sticky ? 0 : device_.free_memory();
  return outcome;
}

Answer DeviceServer::handle(const SampleCandidate& request) {
  Samples samples = bench().sample(request.candidate, request.plan);
  return Sampled{std::move(samples.status), std::move(samples.nanoseconds)};
}

Answer DeviceServer::handle(const FillWithSamples& request) {
  Samples samples =
      bench().sample_while(request.candidate, request.plan, [this] { return request_waits_ && !request_waits_(); });
  return Sampled{std::move(samples.status), std::move(samples.nanoseconds)};
}

Answer DeviceServer::handle(const RecheckCandidate& request) {
  TrialOutcome outcome;
  outcome.status = bench().recheck(request.candidate, outcome.max_error);
  return outcome;
}

Answer DeviceServer::handle(const WarmUpCandidate& request) {
  TrialOutcome outcome;
  outcome.status = bench().warm_up(request.candidate, request.milliseconds);
  return outcome;
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
