// How many processors this process may run on.
#pragma once

namespace attune {

// Returns the number of processors in the set of the calling thread (sched_setaffinity(2), as taskset and batch systems
// set it), at least 1. Any thread may call it.
int usable_processors();

}  // namespace attune
