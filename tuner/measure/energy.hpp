// The energy of one launch, from a counter that somebody read while a kernel ran again and again. Pure.
#pragma once

#include <optional>
#include <span>

namespace attune {

// A reading of the device's counter; seconds by one clock for both.
struct Metered {
  double seconds = 0;
  double joules = 0;
};

// Launches that had ended by then.
struct Launched {
  double seconds = 0;
  double launches = 0;
};

struct LaunchEnergy {
  double joules = 0;   // of one launch, with what the device takes when idle
  double error = 0;    // as a share: how late a step of the counter may have been seen, at both ends of the window
  double seconds = 0;  // the window: from one step of the counter to another
  int steps = 0;       // of the counter in it
  double launches = 0;
};

// The counter moves in steps (every 20 to 100 ms): counted is from the first reading that shows a step to the last one
// that does. Nothing when there are fewer than `least_steps` between, or no launches. Both in order of time.
std::optional<LaunchEnergy> energy_of_launch(std::span<const Metered> readings, std::span<const Launched> launched,
                                             int least_steps);

}  // namespace attune
