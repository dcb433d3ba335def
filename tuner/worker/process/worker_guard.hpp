// A guard: a small process beside a worker. It outlives the worker and the coordinator by a moment, ends what they left
// running, and removes the worker's folder.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

namespace attune {

// What a worker leaves.
struct Leftovers {
  std::filesystem::path folder;  // "": none
  std::string mark;              // of processes: see worker_mark
  pid_t session = -1;            // of processes; -1: none
};

// Starts a guard of the calling process. Call it while the process has one thread. When the caller ends, or all writing
// ends of the pipe `lifeline` are closed, the guard kills the caller, ends and removes the leftovers, and ends. Throws
// Error.
void start_worker_guard(const Leftovers& leftovers, int lifeline);

}  // namespace attune
