// A guard is a small process beside a worker. It outlives the worker by a moment, ends the processes that the worker
// left running, and removes the worker's folder. It also works when the coordinator dies.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

namespace attune {

// What a worker may leave behind.
struct Leftovers {
  std::filesystem::path folder;  // "": none
  std::string mark;              // the mark of its processes (see worker_mark); "": none
  pid_t session = -1;            // the session of its processes; -1: none
};

// Starts a guard of the calling process. Call it while the process has one thread. The guard waits until the caller
// ends, or until the other end of the pipe or socket `jobs` is closed and a moment has passed. Then it kills the
// caller, ends the left processes, removes the folder, and ends. `jobs` = -1: it waits for the caller's end alone.
// Throws Error when it cannot be started.
void start_worker_guard(const Leftovers& leftovers, int jobs = -1);

}  // namespace attune
