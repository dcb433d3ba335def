// ChildProcess: the coordinator's side of a worker's process. The process starts with two pipes for messages, one for
// its output, and a lifeline. The destructor kills it with all that it started, and reaps it. One thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "worker/process/worker_folder.hpp"

namespace attune {

struct ChildLimits {
  int niceness = 0;                 // is added to this process's niceness
  std::uint64_t address_bytes = 0;  // RLIMIT_AS; 0: the same as this process
};

// Where a process writes what it prints.
enum class Output {
  kept,   // to a pipe, whose last bytes are kept: see last_output()
  shared  // to where this process writes
};

enum WorkerDescriptor { requests_descriptor = 3, replies_descriptor = 4, lifeline_descriptor = 5 };

class ChildProcess {
 public:
  // Starts arguments[0] (a path). The worker's TMPDIR names a folder that the worker makes (see WorkerFolder), and that
  // the destructor removes. Throws Error when the process cannot be started.
  ChildProcess(const std::vector<std::string>& arguments, const ChildLimits& limits, Output output);
  // Kills the process with all that it started.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  pid_t number() const noexcept { return child_; }
  int requests() const noexcept { return requests_.number; }  // the descriptor to write jobs to
  int replies() const noexcept { return replies_.number; }    // the descriptor to read replies from

  // Sends SIGKILL to the process, unless it has ended, and to all that it started, and reaps it. Returns false when it
  // still exists after `seconds`.
  bool kill(double seconds) noexcept;
  // Returns how the process ended: "killed by signal 11 (Segmentation fault)", "exited with code 3". It must be called
  // after kill(). If the process had ended by itself before, the text says how.
  std::string how_it_ended() const;
  // Returns the signal that ended the process; 0: none did, or kill() did.
  int ending_signal() const;
  // Returns the processor time that the process used, once it has ended.
  double processor_seconds() const noexcept { return processor_seconds_; }
  // Returns the last bytes that the process printed so far. It also makes room in the pipe for more output.
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
