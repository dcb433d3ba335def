// Runner: the worker's half of what is tuned. It loads, checks and samples instances of one problem, and decides
// nothing. Testbed: where runners run. A device server is given a testbed; kernel_runner and recording_runner are the
// two kinds.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "core/numerics.hpp"
#include "device/instruments.hpp"
#include "measure/energy.hpp"
#include "measure/screen.hpp"
#include "worker/jobs.hpp"

namespace attune {

// It runs where the device is, as a rule in a device worker's process. One thread.
class Runner {
 public:
  virtual ~Runner() = default;

  // Loads an instance under its number, without launching it.
  virtual Status load(const InstanceLaunch& launch) = 0;

  // The functions below throw Error for an instance that is not loaded, except release().
  // Launches an instance and checks the result. An instance that fails is released.
  virtual Status check(InstanceId instance, Numerics& numerics) = 0;
  // Takes timed samples. There are batches only in the regimes `stream` and `warm`. Throws OutOfMemory where there is
  // no room for a stream's sets of data.
  virtual DeviceTimes sample(InstanceId instance, const TimingPlan& plan) = 0;
  // Takes one sample for each slot, in this order, as far as possible without a wait in between. After a failure it is
  // not known which instance failed. `slots` may contain device_copy. Throws OutOfMemory where there is no room for the
  // arrays of the copy or for a stream's sets of data, and Error for device_copy where a runner has no memory to copy.
  virtual DeviceTimes sample_in_turn(std::span<const InstanceId> slots, const TimingPlan& plan) = 0;
  // Launches and checks once more after samples, because what a kernel leaves in its scratch memory must not spoil
  // later launches.
  virtual Status check_again(InstanceId instance, Numerics& numerics) = 0;
  virtual bool has_scratch(InstanceId instance) = 0;
  // Launches twice on the same data and compares the results bit for bit. `deterministic` stays empty without room for
  // the comparison.
  virtual Status repeat(InstanceId instance, std::optional<bool>& deterministic) = 0;
  // Launches for at least this long, untimed.
  virtual Status warm_up(InstanceId instance, double milliseconds) = 0;
  // Launches for so many seconds, without flushes. Calls `tell` with the number of launches so far and the time.
  virtual Status launch_for(InstanceId instance, const TimingPlan& plan, double seconds,
                            const std::function<void(const LaunchCount&)>& tell) = 0;
  // Checks the inputs, and attune's own data. Returns the verdict `guard` when a launch has changed an input, which is
  // restored, or attune's own data, which makes the status sticky.
  virtual Status check_own() = 0;
  // Releases an instance. It is no error if the instance is not loaded.
  virtual void release(InstanceId instance) = 0;
  // Returns the free memory of the device; 0 where there is none. Copies of the data, which sampling in streams has
  // made, count as free: they are no leak.
  virtual std::uint64_t free_bytes() = 0;
};

// One thread, except for the instruments.
class Testbed {
 public:
  virtual ~Testbed() = default;
  virtual const DeviceInfo& info() const noexcept = 0;
  virtual Instruments& instruments() noexcept = 0;
  // Makes a runner for a problem, with its data and its expected result; the testbed must outlive it. Calls
  // `reference_begins`, if set, when the data are there. Throws OutOfMemory. Throws StepsFailure when [[prepare]] or
  // the reference fails, and Error when the reference gives values that are not finite or leaves elements unwritten.
  virtual std::unique_ptr<Runner> begin(const TrialSetup& setup, const std::function<void()>& reference_begins) = 0;
};

}  // namespace attune
