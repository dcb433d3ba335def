// DeviceServer: does a coordinator's jobs on one testbed. It runs in a device worker's process, or behind a
// DirectTransport in the coordinator's own. One thread.
#pragma once

#include <functional>
#include <memory>

#include "worker/jobs.hpp"
#include "worker/runner.hpp"
#include "worker/state_watch.hpp"

namespace attune {

class DeviceServer {
 public:
  // `goes_on` is called within Begin, when the data are there and the reference begins (StartNotice).
  explicit DeviceServer(std::unique_ptr<Testbed> testbed, std::function<void()> goes_on = {})
      : testbed_(std::move(testbed)), goes_on_(std::move(goes_on)), watch_(instruments()) {}

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
  TryAnswer load_and_check(const InstanceLaunch& launch);
  void sample(const Try& job, TryAnswer& tried);
  void check_own(Status& status);
  Status warm_up(InstanceId instance, const WarmUpPlan& plan);
  Instruments& instruments() noexcept { return testbed_->instruments(); }
  Runner& runner();

  const std::unique_ptr<Testbed> testbed_;
  const std::function<void()> goes_on_;
  StateWatch watch_;
  std::unique_ptr<Runner> runner_;
  std::int64_t checked_ = 0;  // how many instances were checked
};

// Returns the answer for the present exception. It must be called in a catch block.
Failure failure_of_current_exception();

}  // namespace attune
