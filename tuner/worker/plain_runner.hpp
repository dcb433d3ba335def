// PlainRunner: the part that runners share whose instances need no data, no device and no scratch memory. `Loaded`:
// what a loaded instance is.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "attune/error.hpp"
#include "worker/runner.hpp"
#include "worker/sampling_loops.hpp"

namespace attune {

template <typename Loaded>
class PlainRunner : public Runner {
 public:
  Status check(InstanceId instance, Numerics&) override {
    Status status = launch(loaded(instance));
    if (!status.ok()) release(instance);
    return status;
  }
  Status check_again(InstanceId instance, Numerics&) override { return launch(loaded(instance)); }
  bool has_scratch(InstanceId instance) override { return loaded(instance), false; }

  // What has a clock of its own does not get warm.
  Status warm_up(InstanceId instance, double milliseconds) override {
    const Loaded& one = loaded(instance);
    if (instruments_.has_own_clock()) return launch(one);
    return sample_for(
        1e-3 * milliseconds, instruments_, 1, [&](int count) { return take(one, count, 1); },
        [](const LaunchCount&) {});
  }

  DeviceTimes sample(InstanceId instance, const TimingPlan& plan) override {
    const Loaded& one = loaded(instance);
    return sample_by_plan(plan, batch_of(plan), [&](int count, int batch) { return take(one, count, batch); });
  }

  DeviceTimes sample_in_turn(std::span<const InstanceId> slots, const TimingPlan& plan) override {
    std::vector<const Loaded*> turns;
    for (const InstanceId slot : slots) {
      if (slot == device_copy) throw Error(what_ + " has no memory to copy in");
      turns.push_back(&loaded(slot));
    }
    DeviceTimes samples;
    for (std::size_t i = 0; i < turns.size() && samples.status.ok(); ++i)
      append(take(*turns[i], 1, batch_of(plan)), samples);
    return samples;
  }

  Status launch_for(InstanceId instance, const TimingPlan& plan, double seconds,
                    const std::function<void(const LaunchCount&)>& tell) override {
    const Loaded& one = loaded(instance);
    return sample_for(
        seconds, instruments_, batch_of(plan), [&](int count) { return take(one, count, batch_of(plan)); }, tell);
  }

  Status check_own() override { return {}; }
  void release(InstanceId instance) override { loaded_.erase(instance); }
  std::uint64_t free_bytes() override { return 0; }

 protected:
  // `what`: the subject of messages. The instruments must outlive it.
  PlainRunner(std::string what, const Instruments& instruments) : what_(std::move(what)), instruments_(instruments) {}

  virtual Status launch(const Loaded& one) = 0;
  // Takes a sample of so many launches in a row: the mean.
  virtual SingleTime time(const Loaded& one, int launches) = 0;

  void keep(InstanceId instance, Loaded one) { loaded_.insert_or_assign(instance, std::move(one)); }
  const Loaded& loaded(InstanceId instance) const {
    const auto found = loaded_.find(instance);
    if (found == loaded_.end()) throw Error(fmt::format("there is no instance {} of {}", instance, what_));
    return found->second;
  }

 private:
  static int batch_of(const TimingPlan& plan) { return plan.regime == Regime::cold ? 1 : std::max(plan.batch, 1); }

  DeviceTimes take(const Loaded& one, int count, int batch) {
    DeviceTimes samples;
    for (int i = 0; i < count && samples.status.ok(); ++i) {
      SingleTime sample = time(one, batch);
      samples.status = std::move(sample.status);
      if (samples.status.ok()) samples.nanoseconds.push_back(sample.nanoseconds);
    }
    return samples;
  }

  const std::string what_;
  const Instruments& instruments_;
  std::map<InstanceId, Loaded> loaded_;
};

}  // namespace attune
