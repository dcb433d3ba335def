// The warm-up before the first timing. Pure: the worker asks after each window of launches.
#pragma once

#include <span>

namespace attune {

struct WarmUpPlan {
  double milliseconds = 0;       // at least
  double most_milliseconds = 0;  // the limit while the clock still moves
  double clock_ratio = 0;        // settled: the last readings of the clock differ by at most this share
  static constexpr int windows = 3;
  static constexpr double window_ms = 50;
};

// Returns whether `elapsed_ms` of launches are enough. `clocks_mhz`: the readings so far, the newest last. It is empty
// where the device has no clock reading: then only the least time counts.
bool is_warm(double elapsed_ms, std::span<const double> clocks_mhz, const WarmUpPlan& plan);

}  // namespace attune
