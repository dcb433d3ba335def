// Bits of a wave on several GPUs beside those on one, and the configurations that are compared.
#pragma once

#include "wave3d/wave.hpp"

namespace wave3d {

// Runs from the first step with this configuration, and returns Wave::sums().
std::vector<std::uint64_t> sums_of(Wave& wave, const attune::Configuration& configuration);

// Returns the configuration for one GPU, with the same kernel.
attune::Configuration alone(attune::Configuration configuration);

// Returns the configuration with the same kernel that stores to the neighbours.
attune::Configuration storing(attune::Configuration configuration);

// Returns which plane has other bits than one GPU computes, or "".
std::string difference(const std::vector<std::uint64_t>& several, const std::vector<std::uint64_t>& one);

}  // namespace wave3d
