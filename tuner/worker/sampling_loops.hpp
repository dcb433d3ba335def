// The loops of every runner: samples until a plan has enough of them, and launches until a time is over.
#pragma once

#include <functional>

#include "device/instruments.hpp"
#include "measure/energy.hpp"
#include "measure/screen.hpp"

namespace attune {

// Appends samples, and takes their status over.
void append(DeviceTimes more, DeviceTimes& samples);

// Takes samples by `take` until the plan has enough, or one fails. `batch`: how many launches in a row a sample is.
// Where a single launch shows that the first sample would be the last, it is the only one.
DeviceTimes sample_by_plan(const TimingPlan& plan, int batch,
                           const std::function<DeviceTimes(int count, int batch)>& take);

// Takes samples of `batch` launches by `take` for so many seconds. Calls `tell` with the number of launches so far and
// the time. Stops at the first failure.
Status sample_for(double seconds, const Instruments& instruments, int batch,
                  const std::function<DeviceTimes(int count)>& take,
                  const std::function<void(const LaunchCount&)>& tell);

}  // namespace attune
