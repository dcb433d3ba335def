// Contender: a configuration in the comparing stages, with its own times. A plain value.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/trial.hpp"
#include "kernel/instance.hpp"
#include "measure/energy.hpp"
#include "measure/final_stage.hpp"

namespace attune {

struct Contender {
  Trial trial;
  std::shared_ptr<const Instance> instance;
  std::vector<double> times_ns;  // of its rounds, from the first on
  std::optional<bool> deterministic;
  std::optional<LaunchEnergy> energy;
  bool has_left = false;  // it can no more win
};

// Returns the contenders that have not left, in their order; the columns of rounds().
std::vector<Contender*> staying(std::vector<Contender>& contenders);

// Returns the contenders that have left, in order of leaving. Of several at one look, the last in the list comes first.
std::vector<const Contender*> left(const std::vector<Contender>& contenders);

// Returns rounds[r][c]: the time of present contender c in round r.
RoundTimes rounds_of(const std::vector<Contender*>& present);

}  // namespace attune
