// ProblemOnDevice: one kernel and problem on one device, with its data and its loaded instances. It loads, checks and
// samples instances, and decides nothing. It runs where the device is, as a rule in a device worker's process. One
// thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "measure/energy.hpp"
#include "measure/screen.hpp"
#include "worker/device_copy.hpp"
#include "worker/jobs.hpp"
#include "worker/problem_data.hpp"

namespace attune {

class ProblemOnDevice {
 public:
  // Makes the data, and runs [[prepare]] and the reference. Throws OutOfMemory. Throws StepsFailed when [[prepare]] or
  // the reference fails, and Error when the reference gives values that are not finite or leaves elements unwritten.
  // The device must outlive it. `reference_begins` is called when the data are there.
  ProblemOnDevice(Device& device, const TrialSetup& setup, const std::function<void()>& reference_begins = {});

  // Loads an instance under this number, without launching it.
  Status load(InstanceId instance, const StepsSetup& steps);

  // The functions below throw Error for an instance that is not loaded, except release().
  // Launches an instance and checks the result, twice where an element that the instance does not write could be right
  // by chance. An instance that fails is released.
  Status check(InstanceId instance, Numerics& numerics);
  // Takes timed samples. There are batches only in the regimes `stream` and `warm`, and only for kernels whose inputs
  // need no restoring. Throws OutOfMemory where there is no room for a stream's sets of data.
  DeviceTimes sample(InstanceId instance, const TimingPlan& plan);
  // Takes one sample for each slot, in this order, as far as possible without a wait in between. After a failure it is
  // not known which instance failed. `slots` may contain device_copy. Throws OutOfMemory where there is no room for the
  // arrays of the copy or for a stream's sets of data.
  DeviceTimes sample_in_turn(std::span<const InstanceId> slots, const TimingPlan& plan);
  // Launches and checks once more after samples, because what a kernel leaves in its scratch memory must not spoil
  // later launches.
  Status check_again(InstanceId instance, Numerics& numerics);
  bool has_scratch(InstanceId instance) { return bound(instance).first().has_scratch(); }
  // Launches twice on the same data and compares the results bit for bit. `deterministic` stays empty without room for
  // the comparison.
  Status repeat(InstanceId instance, std::optional<bool>& deterministic);
  // Launches for at least this long, untimed.
  Status warm_up(InstanceId instance, double milliseconds);
  // Launches for so many seconds, without flushes. Calls `tell` with the number of launches so far and the time.
  Status launch_for(InstanceId instance, const TimingPlan& plan, double seconds,
                    const std::function<void(const LaunchCount&)>& tell);
  // Returns how many bytes attune's own copies of the data take, which sampling in streams has allocated.
  std::uint64_t copied_bytes() const noexcept { return data_.copied_bytes(); }
  // Checks the inputs, and attune's own data. Returns the verdict `guard` when a launch has changed an input, which is
  // restored, or attune's own data, which makes the status sticky.
  Status check_own();
  // Releases an instance. It is no error if the instance is not loaded.
  void release(InstanceId instance);

 private:
  // The steps of one configuration (or of the reference), bound to each set of the data. The first binding owns the
  // scratch memory of all, because in an application launches in a row share scratch memory, too.
  struct Bound {
    std::shared_ptr<const LoadedSteps> loaded;
    std::size_t timed = 0;  // operations; those after them are [[verify]]
    std::vector<StepBinding> sets;
    StepBinding& first() { return sets.front(); }
  };
  // Loads the image and binds its steps to set 0. Returns why the image cannot be loaded or launched; the verdict is
  // `out_of_memory` when there is no room for scratch memory.
  Status bind(const StepsSetup& steps, Bound& bound);
  // Enqueues all steps on the default stream and waits.
  Status launch(Bound& bound);
  // The data must be reset before.
  Status launch_and_check(Bound& bound, Numerics& numerics);
  PlannedSampling planned(const TimingPlan& plan);
  Sampling repeated(InstanceId instance, TimingPlan plan, Sets& sets);
  // The result points into `sets`.
  Sampling sampling_of(InstanceId instance, const TimingPlan& plan, Sets& sets);
  void run_once(const StepsSetup& steps, const std::string& what);
  Status point(StepBinding& binding, std::size_t set) const;
  Bound& bound(InstanceId instance);
  DeviceCopy& copy(std::uint64_t bytes);

  Device& device_;
  const std::string name_;  // kernel and problem
  ProblemData data_;
  std::map<InstanceId, Bound> loaded_;
  std::unique_ptr<DeviceCopy> copy_;  // made at its first sample
};

}  // namespace attune
