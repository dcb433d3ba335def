#include "score/reference_trace.hpp"

namespace attune {

Visits reference_trace(const RecordedSpace& recorded, const SpaceStatistics& space, std::size_t repeat) {
  std::vector<std::size_t> trials;
  double cost = 0;
  for (std::size_t k = 0; k < space.rows && cost < space.span->budget(); ++k) {
    trials.push_back((repeat * 37 + k * 1009) % space.rows);
    cost += recorded.cost(trials.back());
  }
  return follow(recorded, trials);
}

}  // namespace attune
