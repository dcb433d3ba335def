#include "worker/sampling_loops.hpp"

#include <algorithm>
#include <utility>

namespace attune {
namespace {

// If one sample outside a batch exceeds stop_above_ns by more than a launch alone can cost, no batch is sampled.
constexpr double launch_alone_ns = 20e3;

// How long the launches take that are enqueued together, without a wait of the device in between.
constexpr double take_seconds = 0.25;
constexpr double most_samples_in_take = 1000;

}  // namespace

void append(DeviceTimes more, DeviceTimes& samples) {
  samples.nanoseconds.insert(samples.nanoseconds.end(), more.nanoseconds.begin(), more.nanoseconds.end());
  samples.status = std::move(more.status);
}

DeviceTimes sample_by_plan(const TimingPlan& plan, int batch,
                           const std::function<DeviceTimes(int count, int batch)>& take) {
  DeviceTimes samples;
  if (batch > 1 && plan.stop_above_ns > 0) {
    samples = take(1, 1);
    const bool is_hopeless = samples.status.ok() && samples.nanoseconds.front() > plan.stop_above_ns + launch_alone_ns;
    if (!samples.status.ok() || is_hopeless) return samples;
    samples.nanoseconds.clear();
  }
  while (samples.status.ok()) {
    const int count = samples_wanted(samples.nanoseconds, plan);
    if (count <= 0) break;
    append(take(count, batch), samples);
  }
  return samples;
}

Status sample_for(double seconds, const Instruments& instruments, int batch,
                  const std::function<DeviceTimes(int count)>& take,
                  const std::function<void(const LaunchCount&)>& tell) {
  int count = 1;
  const double begin = instruments.seconds();
  LaunchCount launched{begin, 0};
  tell(launched);
  do {
    const DeviceTimes samples = take(count);
    if (!samples.status.ok()) return samples.status;
    const double before = launched.seconds;
    launched = {instruments.seconds(), launched.launches + static_cast<double>(count) * batch};
    tell(launched);
    const double sample_seconds = (launched.seconds - before) / count;  // with what the sample's own clock leaves out
    if (!instruments.has_own_clock())                                   // such a clock stands still between takes
      count = static_cast<int>(std::clamp(take_seconds / sample_seconds, 1.0, most_samples_in_take));
  } while (launched.seconds - begin < seconds);
  return {};
}

}  // namespace attune
