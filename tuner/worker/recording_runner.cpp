#include "worker/recording_runner.hpp"

#include <fmt/format.h>

#include <map>

#include "attune/error.hpp"
#include "worker/sampling_loops.hpp"

namespace attune {
namespace {

class RecordingRunner final : public Runner {
 public:
  explicit RecordingRunner(Replay& replay) : replay_(replay) {}

  Status load(const InstanceLaunch& launch) override {
    const std::optional<std::size_t> trial = replay_.find(launch.configuration);
    if (!trial)
      return {Verdict::load_error,
              fmt::format("{} has no row for {}", replay_.recording().source, launch.configuration), false};
    Status status = replay_.load(*trial);
    if (status.ok()) loaded_.insert_or_assign(launch.instance, *trial);
    return status;
  }

  Status check(InstanceId instance, Numerics&) override {
    Status status = replay_.launch(trial(instance));
    if (!status.ok()) release(instance);
    return status;
  }
  Status check_again(InstanceId instance, Numerics&) override { return replay_.launch(trial(instance)); }
  bool has_scratch(InstanceId instance) override { return trial(instance), false; }

  Status repeat(InstanceId instance, std::optional<bool>& deterministic) override {
    Status status = replay_.launch(trial(instance));
    if (status.ok()) status = replay_.launch(trial(instance));
    if (status.ok()) deterministic = true;
    return status;
  }
  // What has a clock of its own does not get warm.
  Status warm_up(InstanceId instance, double) override { return replay_.launch(trial(instance)); }

  DeviceTimes sample(InstanceId instance, const TimingPlan& plan) override {
    const std::size_t of = trial(instance);
    return sample_by_plan(plan, batch_of(plan), [&](int count, int batch) { return take(of, count, batch); });
  }

  DeviceTimes sample_in_turn(std::span<const InstanceId> slots, const TimingPlan& plan) override {
    std::vector<std::size_t> turns;
    for (const InstanceId slot : slots) {
      if (slot == device_copy) throw Error("a recording has no memory to copy in");
      turns.push_back(trial(slot));
    }
    DeviceTimes samples;
    for (std::size_t i = 0; i < turns.size() && samples.status.ok(); ++i)
      append(take(turns[i], 1, batch_of(plan)), samples);
    return samples;
  }

  Status launch_for(InstanceId instance, const TimingPlan& plan, double seconds,
                    const std::function<void(const LaunchCount&)>& tell) override {
    const std::size_t of = trial(instance);
    return sample_for(
        seconds, replay_, batch_of(plan), [&](int count) { return take(of, count, batch_of(plan)); }, tell);
  }

  Status check_own() override { return {}; }
  void release(InstanceId instance) override { loaded_.erase(instance); }
  std::uint64_t free_bytes() override { return 0; }

 private:
  static int batch_of(const TimingPlan& plan) { return plan.regime == Regime::cold ? 1 : std::max(plan.batch, 1); }

  DeviceTimes take(std::size_t trial, int count, int batch) {
    DeviceTimes samples;
    for (int i = 0; i < count && samples.status.ok(); ++i) {
      SingleTime sample = replay_.sample(trial, batch);
      samples.status = std::move(sample.status);
      if (samples.status.ok()) samples.nanoseconds.push_back(sample.nanoseconds);
    }
    return samples;
  }

  std::size_t trial(InstanceId instance) const {
    const auto found = loaded_.find(instance);
    if (found == loaded_.end())
      throw Error(fmt::format("there is no instance {} of {}", instance, replay_.recording().kernel));
    return found->second;
  }

  Replay& replay_;
  std::map<InstanceId, std::size_t> loaded_;  // trials
};

class RecordingTestbed final : public Testbed {
 public:
  explicit RecordingTestbed(std::shared_ptr<Replay> replay) : replay_(std::move(replay)) {}
  const DeviceInfo& info() const noexcept override { return replay_->info(); }
  Instruments& instruments() noexcept override { return *replay_; }
  std::unique_ptr<Runner> begin(const TrialSetup&, const std::function<void()>& reference_begins) override {
    if (reference_begins) reference_begins();
    return std::make_unique<RecordingRunner>(*replay_);
  }

 private:
  const std::shared_ptr<Replay> replay_;
};

}  // namespace

std::unique_ptr<Testbed> recording_testbed(std::shared_ptr<Replay> replay) {
  return std::make_unique<RecordingTestbed>(std::move(replay));
}

}  // namespace attune
