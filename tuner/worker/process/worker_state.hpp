// WorkerState: the state of a process besides its memory. A kernel that runs in the process can change this state for
// all kernels that run after it. A plain value.
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
  sigset_t blocked{};  // signals that the calling thread blocks
  std::array<Handler, NSIG> handlers{};
  std::array<bool, 3> timers{};  // whether each timer of setitimer() runs
  cpu_set_t processors{};        // on which the calling thread may run
  int priority = 0;
};

// Returns the state of the calling process. It takes some tens of microseconds.
WorkerState worker_state();

// Returns what differs, as a text: "descriptor 6 closed, RLIMIT_FSIZE changed". Returns "" when nothing differs.
std::string changes(const WorkerState& before, const WorkerState& now);

// Returns a function that calls `answer` and adds to each reply what the kernels of the job changed in this process, in
// which they run. If the answer after such a change is a Failure, the reply blames the job's instance instead, with the
// verdict `fault`.
std::function<Reply(const Job&)> watching_this_process(std::function<Reply(const Job&)> answer);

}  // namespace attune
