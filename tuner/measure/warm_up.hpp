// The warm-up before anything is timed. Pure: whoever launches asks after each window whether that is enough.
#pragma once

#include <span>

namespace attune {

struct WarmUpPlan {
  double milliseconds = 0;       // at least
  double most_milliseconds = 0;  // however the clock moves
  double clock_ratio = 0;        // settled: the last readings of the clock are no further apart
  static constexpr int windows = 3;
  static constexpr double window_ms = 50;
};

// Whether `elapsed_ms` of launches are enough. `clocks_mhz`: the readings so far, the newest last; none where the
// device tells no clock: then the least counts alone.
bool is_warm(double elapsed_ms, std::span<const double> clocks_mhz, const WarmUpPlan& plan);

}  // namespace attune
