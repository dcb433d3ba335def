// The warm-up before the first timing. Pure: the worker calls is_warm() after each window of launches.
#pragma once

#include <span>

namespace attune {

struct WarmUpPlan {
  double milliseconds = 0;       // the least time of the warm-up
  double most_milliseconds = 0;  // the most time, while the clock still moves
  double clock_ratio = 0;        // the clock has settled if its last readings differ by at most this share
  static constexpr int windows = 3;
  static constexpr double window_ms = 50;
};

// Returns whether `elapsed_ms` of launches are enough. `clocks_mhz` has the readings of the clock so far, the newest
// last. It is empty if the device gives no readings: then only the least time counts.
bool is_warm(double elapsed_ms, std::span<const double> clocks_mhz, const WarmUpPlan& plan);

}  // namespace attune
