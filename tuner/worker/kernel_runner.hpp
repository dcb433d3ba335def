// KernelRunner: one kernel and problem on one device, with its data and its loaded instances.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "worker/device_copy.hpp"
#include "worker/problem_data.hpp"
#include "worker/runner.hpp"

namespace attune {

class KernelRunner final : public Runner {
 public:
  // Makes the data, and runs [[prepare]] and the reference; see Testbed::begin(). Device, instruments and tools must
  // outlive it.
  KernelRunner(Device& device, DeviceInstruments& instruments, DataTools& tools, const TrialSetup& setup,
               const std::function<void()>& reference_begins = {});

  Status load(const InstanceLaunch& launch) override;
  // Launches twice where an element that the instance does not write could be right by chance.
  Status check(InstanceId instance, Numerics& numerics) override;
  // There are batches only for kernels whose inputs need no restoring.
  DeviceTimes sample(InstanceId instance, const TimingPlan& plan) override;
  DeviceTimes sample_in_turn(std::span<const InstanceId> slots, const TimingPlan& plan) override;
  Status check_again(InstanceId instance, Numerics& numerics) override;
  bool has_scratch(InstanceId instance) override { return bound(instance).first().has_scratch(); }
  Status repeat(InstanceId instance, std::optional<bool>& deterministic) override;
  Status warm_up(InstanceId instance, double milliseconds) override;
  Status launch_for(InstanceId instance, const TimingPlan& plan, double seconds,
                    const std::function<void(const LaunchCount&)>& tell) override;
  Status check_own() override;
  void release(InstanceId instance) override;
  std::uint64_t free_bytes() override { return device_.free_memory() + copied_bytes(); }
  // Returns how many bytes attune's own copies of the data take, which sampling in streams has allocated.
  std::uint64_t copied_bytes() const noexcept { return data_.copied_bytes(); }

 private:
  // The steps of one configuration (or of the reference), bound to each set of the data. The first binding owns the
  // scratch memory of all, because in an application launches in a row share scratch memory, too.
  struct BoundSteps {
    std::shared_ptr<const LoadedSteps> loaded;
    std::size_t timed = 0;  // operations; those after them are [[verify]]
    std::vector<StepBinding> sets;
    StepBinding& first() { return sets.front(); }
  };
  // Loads the image and binds its steps to set 0. Returns why the image cannot be loaded or launched; the verdict is
  // `out_of_memory` when there is no room for scratch memory.
  Status bind(const StepsSetup& steps, BoundSteps& bound);
  // Enqueues all steps on the default stream and waits.
  Status launch(BoundSteps& bound);
  // The data must be reset before.
  Status launch_and_check(BoundSteps& bound, Numerics& numerics);
  SamplingPlan planned(const TimingPlan& plan);
  Sampling repeated(InstanceId instance, TimingPlan plan, Sets& sets);
  // The result points into `sets`.
  Sampling sampling_of(InstanceId instance, const TimingPlan& plan, Sets& sets);
  void run_once(const StepsSetup& steps, const std::string& what);
  Status point(StepBinding& binding, std::size_t set) const;
  BoundSteps& bound(InstanceId instance);
  DeviceCopy& copy(std::uint64_t bytes);

  Device& device_;
  DeviceInstruments& instruments_;
  DataTools& tools_;
  const std::string name_;  // kernel and problem
  ProblemData data_;
  std::map<InstanceId, BoundSteps> loaded_;
  std::unique_ptr<DeviceCopy> copy_;  // made at its first sample
};

// Opens the instruments and the data tools of a device. In the first form the device must outlive the testbed.
std::unique_ptr<Testbed> kernel_testbed(Device& device);
std::unique_ptr<Testbed> kernel_testbed(std::unique_ptr<Device> device);

}  // namespace attune
