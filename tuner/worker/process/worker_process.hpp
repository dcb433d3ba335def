// WorkerProcess: the coordinator's side of a worker's process. It reads jobs from its standard input and writes replies
// to its standard output; what it prints goes to its standard error. The destructor kills it with all that it started,
// and reaps it. One thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/child_process.hpp"
#include "base/descriptor.hpp"
#include "worker/process/worker_folder.hpp"

namespace attune {

// Where a worker writes what it prints.
enum class Output {
  kept,   // to a pipe, whose last bytes are kept: see last_output()
  shared  // to standard output of this process
};

struct WorkerCommand {
  std::vector<std::string> arguments;  // [0]: path of the executable
  std::string what;                    // for messages: "device worker of cuda:0"
  int niceness = 0;                    // is added to this process's niceness
  std::uint64_t address_bytes = 0;     // RLIMIT_AS; 0: the same as this process
  Output output = Output::kept;
  std::map<std::string, std::string> environment{};  // changes to this process's own
};

class WorkerProcess {
 public:
  // Starts the command. The worker's TMPDIR names a folder that the worker makes (see WorkerFolder), and that the
  // destructor removes. Throws Error when the process cannot be started.
  explicit WorkerProcess(const WorkerCommand& command);
  // Kills the process with all that it started.
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  pid_t number() const noexcept { return process_.number(); }
  int jobs() const noexcept { return jobs_.write.get(); }       // the descriptor to write jobs to
  int replies() const noexcept { return replies_.read.get(); }  // the descriptor to read replies from

  // Sends SIGKILL to the process, unless it has ended, and to all that it started, and reaps it. Returns false when it
  // still exists after `seconds`.
  bool kill(double seconds) noexcept;
  // Returns "killed by signal 11 (Segmentation fault)", "exited with code 3" or "still exists".
  std::string how_it_ended() const;
  // Returns the signal that ended the process; 0: none, or it was killed from here.
  int ending_signal() const { return is_ended_here_ ? 0 : process_.signal(); }
  // Returns the processor time that the process used, once it has ended.
  double processor_seconds() const noexcept { return process_.processor_seconds(); }
  // Returns the last bytes that the process printed so far. It also makes room in the pipe for more output.
  std::string last_output();

 private:
  WorkerFolderName folder_;
  Pipe jobs_, replies_, output_;  // the worker's ends are closed here once it has started
  ChildProcess process_;
  bool killed_ = false, is_ended_here_ = false;
  std::string printed_;
};

}  // namespace attune
