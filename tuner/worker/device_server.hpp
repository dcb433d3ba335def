// DeviceServer: answers the requests of a coordinator about one device. What a device worker runs, or, without a
// process between, what a DirectTransport calls. One thread.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "worker/messages/messages.hpp"
#include "worker/state_watch.hpp"
#include "worker/trial_bench.hpp"

namespace attune {

class DeviceServer {
 public:
  // Told before a configuration is loaded.
  using Trying = std::function<void(std::string_view configuration, int attempt)>;
  // Whether another request has come while one is served; without it, one always has.
  using RequestWaits = std::function<bool()>;
  explicit DeviceServer(Device& device, Trying trying = {}, RequestWaits request_waits = {})
      : device_(device), trying_(std::move(trying)), request_waits_(std::move(request_waits)), watch_(device) {}

  // Failures of the environment are answers too; never throws Error.
  Reply answer(const Request& request);

 private:
  Answer handle(const OpenDevice&);
  Answer handle(const BeginProblem& request);
  Answer handle(const LoadTrial& request);
  Answer handle(const CheckCandidate& request);
  Answer handle(const SampleCandidate& request);
  Answer handle(const SampleInTurn& request);
  Answer handle(const FillWithSamples& request);
  Answer handle(const RecheckCandidate& request);
  Answer handle(const WarmUpCandidate& request);
  Answer handle(const MeterCandidate& request);
  Answer handle(const ReleaseCandidate& request);
  template <typename Other>
  Answer handle(const Other&);
  TrialBench& bench();

  Device& device_;
  Trying trying_;
  RequestWaits request_waits_;
  StateWatch watch_;
  std::unique_ptr<TrialBench> bench_;
};

// The answer that stands for what is being thrown; to be called in a catch block.
Failure failure_of_current_exception();

}  // namespace attune
