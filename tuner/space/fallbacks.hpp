// The configurations that serve where there is no wisdom, found ahead of time: applications have no search space.
// Pure; any thread.
#pragma once

#include <cstddef>
#include <vector>

#include "attune/bindings.hpp"
#include "attune/kernel_spec.hpp"

namespace attune {

// Returns at most `most` configurations, in the order in which they are to be tried: nearest to the first values first.
// The first has the first value of each parameter, legal or not. Each further one was found to be legal for a problem
// on a device where the others found before are not: first for usual sizes, then for a sweep of sizes
// (tried_problems.hpp). Behind these, likewise, are further ones that are deterministic ([kernel] `deterministic`)
// where those before are not. At least half of the places are theirs, less what usual sizes take.
std::vector<Configuration> fallback_configurations(const KernelSpec& spec, std::size_t most);

}  // namespace attune
