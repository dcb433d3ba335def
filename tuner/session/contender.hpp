// Contender: a configuration in the comparing stages, with its own times. A plain value.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/trial.hpp"
#include "measure/energy.hpp"
#include "measure/final_stage.hpp"
#include "subject/instance.hpp"

namespace attune {

struct Contender {
  Trial trial;
  std::shared_ptr<const Instance> instance;
  std::vector<double> times_ns;  // in the rounds that it took part in, from the first on
  std::optional<bool> deterministic;
  std::optional<LaunchEnergy> energy;
  bool has_left = false;  // it cannot win any more
  bool is_lost = false;   // it failed
};

// Returns the contenders that have not left and did not fail, in their order. They are the columns of rounds_of().
std::vector<Contender*> staying(std::vector<Contender>& contenders);

// Returns the contenders that have left, the earliest first. Those that left together come in reverse order of the
// list.
std::vector<const Contender*> left(const std::vector<Contender>& contenders);

// Returns rounds[r][c]: the time of contender c of `present` in round r.
RoundTimes rounds_of(const std::vector<Contender*>& present);

}  // namespace attune
