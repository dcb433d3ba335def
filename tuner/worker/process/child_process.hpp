// ChildProcess: the coordinator's side of a worker's process. It starts with two pipes for messages, one for its
// output, and a lifeline. It is killed with all that it started, and reaped. One thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "worker/process/worker_folder.hpp"

namespace attune {

struct ChildLimits {
  int niceness = 0;                 // added to this process's
  std::uint64_t address_bytes = 0;  // RLIMIT_AS; 0: as this process
};

// Where a process writes what it prints.
enum class Output {
  kept,   // the last of it: see last_output()
  shared  // where this process writes
};

enum WorkerDescriptor { requests_descriptor = 3, replies_descriptor = 4, lifeline_descriptor = 5 };

class ChildProcess {
 public:
  // Starts arguments[0] (a path). TMPDIR names a folder that the worker makes: see WorkerFolder. The destructor removes
  // that folder. Throws Error.
  ChildProcess(const std::vector<std::string>& arguments, const ChildLimits& limits, Output output);
  // Kills it.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  pid_t number() const noexcept { return child_; }
  int requests() const noexcept { return requests_.number; }  // to write to
  int replies() const noexcept { return replies_.number; }    // to read from

  // Sends SIGKILL to it, unless it has ended, and to all that it started; reaps it. Returns false when it still exists
  // after `seconds`.
  bool kill(double seconds) noexcept;
  // Returns how it ended: "killed by signal 11 (Segmentation fault)", "exited with code 3". To be called after kill();
  // an earlier end by itself is reported as such.
  std::string how_it_ended() const;
  int ending_signal() const;                                                // 0: none ended it, or that of kill()
  double processor_seconds() const noexcept { return processor_seconds_; }  // that it used, once it has ended
  std::string last_output();

 private:
  struct Descriptor {
    int number = -1;
    ~Descriptor();
    void close() noexcept;
  };
  bool reap(double seconds) noexcept;

  WorkerFolderName folder_;
  pid_t child_ = -1;
  Descriptor requests_, replies_, output_, lifeline_;
  std::optional<int> status_;
  double processor_seconds_ = 0;
  bool killed_ = false, is_ended_here_ = false;
  std::string printed_;
};

}  // namespace attune
