// ProblemOnDevice: one kernel and problem on one device, with its data and its loaded instances: load, check, sample.
// It decides nothing. It runs where the device is, mostly in a device worker's process. One thread.
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
  // Makes the data, runs [[prepare]] and the reference. Throws OutOfMemory; Error when the reference fails or gives
  // values that are not finite. The device must outlive it.
  // `reference_begins`: called when the data are there.
  ProblemOnDevice(Device& device, const TrialSetup& setup, const std::function<void()>& reference_begins = {});

  // Loads an instance. Launches nothing.
  Status load(InstanceId instance, const StepsSetup& steps);

  // The functions below throw Error for an instance that is not loaded. check() launches it and checks the result,
  // twice where an element that it does not write could be right by chance. A failed instance is released.
  Status check(InstanceId instance, Numerics& numerics);
  // Takes timed samples. Batches are of the regimes `stream` and `warm`, and of kernels whose inputs need no restoring.
  // Throws OutOfMemory where a stream's data have no room.
  DeviceTimes sample(InstanceId instance, const TimingPlan& plan);
  // Takes one sample of each, in this order, as far as possible without a wait in between. After a failure it is not
  // known which one failed. `turns` may contain device_copy. Throws OutOfMemory without room for its arrays.
  DeviceTimes sample_in_turn(std::span<const InstanceId> turns, const TimingPlan& plan);
  // Checks once more after samples: what a kernel leaves in its scratch memory must not spoil later launches.
  Status check_again(InstanceId instance, Numerics& numerics);
  bool has_scratch(InstanceId instance) { return bound(instance).first().has_scratch(); }
  // Launches it twice on the same data and compares the results bit for bit. `deterministic` stays empty without room.
  Status repeat(InstanceId instance, std::optional<bool>& deterministic);
  // Launches it for at least this long, untimed.
  Status warm_up(InstanceId instance, double milliseconds);
  // Launches it for so long and reports how many launches were done by when. Nothing is flushed.
  Status launch_for(InstanceId instance, const TimingPlan& plan, double seconds,
                    const std::function<void(const Launched&)>& tell);
  // Returns the bytes of attune's own that sampling in streams has allocated.
  std::uint64_t copied_bytes() const noexcept { return data_.copied_bytes(); }
  // Returns guard when what ran since changed an input, which is restored, or attune's own data (sticky).
  Status check_own();
  // Releases an instance; an instance that is not loaded is no error.
  void release(InstanceId instance);

 private:
  // The steps of one configuration (or of the reference), bound to each set of the data; the first owns the scratch
  // memory of all: launches in a row share it in applications, too.
  struct Bound {
    std::shared_ptr<const LoadedSteps> loaded;
    std::size_t timed = 0;  // operations; those after them are [[verify]]
    std::vector<StepBinding> sets;
    StepBinding& first() { return sets.front(); }
  };
  // Loads the image and binds its steps to set 0. What cannot be loaded or launched is a Status; out of memory for
  // scratch is out_of_memory.
  Status bind(const StepsSetup& steps, Bound& bound);
  // Enqueues all of them on the default stream and waits.
  Status launch(Bound& bound);
  // On data that were reset.
  Status launch_and_check(Bound& bound, Numerics& numerics);
  PlannedSampling planned(const TimingPlan& plan);
  Sampling repeated(InstanceId instance, TimingPlan plan, Sets& sets);
  // `sets`: what the result points to.
  Sampling sampling_of(InstanceId instance, const TimingPlan& plan, Sets& sets);
  void run_once(const StepsSetup& steps, const std::string& what);
  Status point(StepBinding& binding, std::size_t set) const;
  Bound& bound(InstanceId instance);
  DeviceCopy& copy(std::uint64_t bytes);

  Device& device_;
  const std::string name_;  // kernel and problem
  ProblemData data_;
  std::map<InstanceId, Bound> loaded_;
  std::unique_ptr<DeviceCopy> copy_;  // from its first sample on
};

}  // namespace attune
