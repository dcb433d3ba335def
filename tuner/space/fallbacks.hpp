// The configurations that an application launches where it has no wisdom. They are found ahead of time, because
// applications have no search space. Pure; any thread.
#pragma once

#include <cstddef>
#include <vector>

#include "attune/bindings.hpp"
#include "attune/kernel_spec.hpp"

namespace attune {

// Returns at most `most` configurations, in the order in which an application tries them: nearest to the first values
// first. The first configuration has the first value of each parameter, legal or not. Each further one is legal for
// some problem on some device where no configuration found before it is legal. Usual sizes are served first, then a
// sweep of sizes (tried_problems.hpp). For a kernel with a `deterministic` rule ([kernel] `deterministic`),
// deterministic configurations follow, found in the same way. At least half of the places are kept for them, less those
// that usual sizes take.
std::vector<Configuration> fallback_configurations(const KernelSpec& spec, std::size_t most);

}  // namespace attune
