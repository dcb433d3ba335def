// The built-in strategies, one file each. A new one needs a file, a line here and a line in the table of registry.cpp.
#pragma once

#include "attune/strategy.hpp"

namespace attune {

StrategyEntry annealing_strategy();
StrategyEntry auto_strategy();
StrategyEntry bayesian_strategy();
StrategyEntry differential_evolution_strategy();
StrategyEntry exhaustive_strategy();
StrategyEntry genetic_strategy();
StrategyEntry local_strategy();
StrategyEntry particle_swarm_strategy();
StrategyEntry random_strategy();
StrategyEntry tabu_strategy();

}  // namespace attune
