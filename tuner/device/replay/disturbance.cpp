#include "device/replay/disturbance.hpp"

#include <algorithm>
#include <cmath>

namespace attune {

void Disturbance::load() {
  is_first_ = true;
  if (chance(model_.rest_chance)) since_rest_ = 0;
}

double Disturbance::measured(double nanoseconds) {
  double factor = 1 + model_.noise * normal_(random_);
  const double boosted = std::max(0.0, 1 - static_cast<double>(since_rest_++) / model_.boost_samples);
  factor *= 1 - model_.boost * boosted;
  if (chance(model_.clock_chance)) slow_clock_ = !slow_clock_;
  if (slow_clock_) factor *= 1 + model_.clock_step;
  if (chance(model_.tail_chance))
    factor *= 1 + model_.tail_scale * std::pow(1 - uniform_(random_), -1 / model_.tail_exponent);
  if (is_first_) factor *= 1 + model_.cold_start;
  is_first_ = false;
  const double delay = model_.mode_chance > 0 && chance(model_.mode_chance) ? model_.mode_ns : 0;
  const double quanta = std::max(1.0, std::round((nanoseconds * factor + delay) / model_.quantum_ns));
  return quanta * model_.quantum_ns;
}

}  // namespace attune
