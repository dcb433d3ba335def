// Disturbance: adds a busy GPU's effects on times to a recording, to test measuring methods where the truth is known.
// The defaults come from public raw samples of four GPUs (benchmark_hub's convolution and dedispersion). One thread;
// equal seeds give equal times.
#pragma once

#include <cstdint>
#include <random>

namespace attune {

struct DisturbanceModel {
  double noise = 0.01;         // standard deviation of every sample, relative
  double boost = 0.12;         // how much faster the device is after a rest, relative
  int boost_samples = 20;      // the number of samples over which it loses the boost
  double rest_chance = 0.01;   // that the device has rested when a configuration is loaded
  double clock_step = 0.08;    // relative difference between the two states of the clock
  double clock_chance = 0.01;  // that a sample begins with a change of that state
  double tail_chance = 0.03;   // that something else delays a sample
  double tail_scale = 0.05;    // the least such delay, relative; delays have a Pareto distribution
  double tail_exponent = 1.5;  // of that distribution, whose variance is infinite
  double cold_start = 0.06;    // how much slower the first sample after a load is, relative
  double quantum_ns = 500;     // the step of the event timer
  double mode_chance = 0;      // that a launch takes longer, whatever the kernel
  double mode_ns = 0;          // by how much it then takes longer
};

class Disturbance {
 public:
  explicit Disturbance(std::uint64_t seed, DisturbanceModel model = {}) : model_(model), random_(seed) {}

  // Notes that a configuration was loaded.
  void load();
  // Returns the measured time of a sample that truly takes `nanoseconds`; a quantum at least.
  double measured(double nanoseconds);

 private:
  bool chance(double probability) { return uniform_(random_) < probability; }

  const DisturbanceModel model_;
  std::mt19937_64 random_;
  std::uniform_real_distribution<double> uniform_{0, 1};
  std::normal_distribution<double> normal_{0, 1};
  int since_rest_ = 0;  // samples
  bool slow_clock_ = false;
  bool is_first_ = true;  // since a load
};

}  // namespace attune
