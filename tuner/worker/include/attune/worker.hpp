// worker_main(): makes a program serve as its own workers (CMake: attune::tuner), so that tune() needs no other
// program.
#pragma once

#include <optional>
#include <vector>

#include "attune/tunable.hpp"

namespace attune {

// Call it first in main(). Where tune() of this program, or attune by `--worker`, has started the process as a worker,
// serves until there are no more jobs, and returns the exit status for main(). Returns nothing in other processes.
// Never throws. A worker runs the code of kernels that it is given, so that a set-user-id program is never a worker.
std::optional<int> worker_main(int argc, char** argv);

// Does the same in a program that tunes callables: a worker of tune(Tunable, ...) knows these.
std::optional<int> worker_main(int argc, char** argv, const std::vector<Tunable>& tunables);

}  // namespace attune
