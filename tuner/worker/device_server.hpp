// DeviceServer: does a coordinator's jobs on one device. It runs in a device worker's process, or behind a
// DirectTransport in the coordinator's own. One thread.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "worker/jobs.hpp"
#include "worker/problem_on_device.hpp"
#include "worker/state_watch.hpp"

namespace attune {

class DeviceServer {
 public:
  // Called before an instance is loaded.
  using Trying = std::function<void(std::string_view configuration, int attempt)>;
  // `goes_on` is called within Begin, when the data are there and the reference begins (Started).
  explicit DeviceServer(Device& device, Trying trying = {}, std::function<void()> goes_on = {})
      : device_(device), trying_(std::move(trying)), goes_on_(std::move(goes_on)), watch_(device) {}

  // Does a job and returns the answer. A failure of the environment is a Failure; Error is never thrown.
  Reply answer(const Job& job);

 private:
  Answer handle(const OpenDevice&);
  Answer handle(const Begin& job);
  Answer handle(const Load& job);
  Answer handle(const Try& job);
  Answer handle(const Rounds& job);
  Answer handle(const CheckAgain& job);
  Answer handle(const Meter& job);
  Answer handle(const Release& job);
  template <typename Other>
  Answer handle(const Other&);
  Tried load_and_check(const InstanceLaunch& launch);
  void sample(const Try& job, Tried& tried);
  void check_own(Status& status);
  Status warm_up(InstanceId instance, const WarmUpPlan& plan);
  ProblemOnDevice& problem();

  Device& device_;
  Trying trying_;
  std::function<void()> goes_on_;
  StateWatch watch_;
  std::unique_ptr<ProblemOnDevice> problem_;
  std::int64_t checked_ = 0;  // how many instances were checked
};

// Returns the answer for the present exception. It must be called in a catch block.
Failure failure_of_current_exception();

}  // namespace attune
