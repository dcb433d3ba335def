#include "measure/energy.hpp"

#include <algorithm>

namespace attune {
namespace {

// Returns the number of launches at a time: linear between the entries, constant before the first and after the last.
double launches_at(std::span<const LaunchCount> launched, double seconds) {
  const auto after = std::find_if(launched.begin(), launched.end(),
                                  [seconds](const LaunchCount& entry) { return entry.seconds >= seconds; });
  if (after == launched.begin()) return launched.front().launches;
  if (after == launched.end()) return launched.back().launches;
  const LaunchCount& before = *(after - 1);
  const double share = (seconds - before.seconds) / (after->seconds - before.seconds);
  return before.launches + share * (after->launches - before.launches);
}

}  // namespace

std::optional<LaunchEnergy> energy_of_launch(std::span<const CounterReading> readings,
                                             std::span<const LaunchCount> launched, int least_steps) {
  if (launched.empty()) return std::nullopt;
  const CounterReading* first = nullptr;
  const CounterReading* last = nullptr;
  double late = 0;  // the longest time between the reading that shows a step and the reading before
  int steps = -1;
  for (std::size_t i = 1; i < readings.size(); ++i) {
    if (readings[i].joules <= readings[i - 1].joules) continue;
    if (readings[i].seconds < launched.front().seconds || readings[i].seconds > launched.back().seconds) continue;
    if (first == nullptr) first = &readings[i];
    last = &readings[i];
    late = std::max(late, readings[i].seconds - readings[i - 1].seconds);
    ++steps;
  }
  if (first == nullptr || steps < std::max(least_steps, 1)) return std::nullopt;
  const double launches = launches_at(launched, last->seconds) - launches_at(launched, first->seconds);
  if (launches <= 0) return std::nullopt;
  LaunchEnergy energy;
  energy.seconds = last->seconds - first->seconds;
  energy.joules = (last->joules - first->joules) / launches;
  energy.error = 2 * late / energy.seconds;
  energy.steps = steps;
  energy.launches = launches;
  return energy;
}

}  // namespace attune
