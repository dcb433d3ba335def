// The energy of one launch, computed from readings of a counter while a kernel runs again and again. Pure.
#pragma once

#include <optional>
#include <span>

namespace attune {

// A reading of the device's counter. Readings and launches share one clock.
struct CounterReading {
  double seconds = 0;
  double joules = 0;
};

// How many launches had ended by a time.
struct LaunchCount {
  double seconds = 0;
  double launches = 0;
};

struct LaunchEnergy {
  double joules = 0;   // of one launch, including the device's idle power
  double error = 0;    // relative: how late steps of the counter may be seen at the window's two ends
  double seconds = 0;  // the window: from one step of the counter to another
  int steps = 0;       // of the counter in the window
  double launches = 0;
};

// Returns the energy of one launch. The counter moves in steps, every 20 to 100 ms. The window lasts from the first
// reading that shows a step to the last such reading. Returns nothing if the window has fewer than `least_steps` steps,
// or no launches. Both inputs must be in order of time.
std::optional<LaunchEnergy> energy_of_launch(std::span<const CounterReading> readings,
                                             std::span<const LaunchCount> launched, int least_steps);

}  // namespace attune
