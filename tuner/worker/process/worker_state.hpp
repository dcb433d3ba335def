// WorkerState: what a process has beside its memory, and what a kernel that runs in it can change for all that run
// after it. A plain value.
#pragma once

#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <array>
#include <functional>
#include <map>
#include <string>

#include "worker/jobs.hpp"

namespace attune {

struct WorkerState {
  struct Identity {
    dev_t device = 0;
    ino_t inode = 0;
    bool operator==(const Identity&) const = default;
  };
  struct Handler {
    const void* function = nullptr;
    int flags = 0;
    bool operator==(const Handler&) const = default;
  };
  std::map<int, Identity> descriptors;  // by number
  std::array<rlimit, RLIM_NLIMITS> limits{};
  Identity folder, root;
  mode_t file_mask = 0;
  sigset_t blocked{};  // of the calling thread
  std::array<Handler, NSIG> handlers{};
  std::array<bool, 3> timers{};  // of setitimer(): runs
  cpu_set_t processors{};        // of the calling thread
  int priority = 0;
};

// Returns the state of the calling process. Takes some tens of microseconds.
WorkerState worker_state();

// Returns what differs, as a text: "descriptor 6 closed, RLIMIT_FSIZE changed"; "" when nothing does.
std::string changes(const WorkerState& before, const WorkerState& now);

// Adds to each reply what the kernels of its job changed in this process, where they run. What cannot be answered after
// a change is their fault.
std::function<Reply(const Job&)> watching_this_process(std::function<Reply(const Job&)> answer);

}  // namespace attune
