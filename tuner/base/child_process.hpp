// ChildProcess: a program that this process started, such as a worker, a compiler or a command under sanitizers. One
// thread uses it. A program that ignores SIGCHLD sees no exit status of its children.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace attune {

// Returns the absolute path of a program, given by path or by name (looked up in PATH, of which set-user-id processes
// have only the system's). Returns "" when there is none.
std::string find_program(const std::string& name);

// Returns this process's environment with `changes` applied. In a set-user-id process, returns only `changes` and a
// PATH to the system's programs, because compilers read more variables than attune knows.
std::vector<std::string> environment_with(const std::map<std::string, std::string>& changes);

// What to start, and what it gets.
struct Program {
  enum class Group {
    parent,  // the process group of this process
    own,     // one of its own, which is killed whole
    session  // also a session of its own, where signals do what they usually do and a crash leaves no core file
  };
  std::vector<std::string> arguments{};                // [0]: the path of its file
  std::map<std::string, std::string> environment{};    // changes to this process's own (see environment_with())
  std::string folder{};                                // where it runs; "": where this process does
  int input = -1;                                      // its descriptor 0; -1: it reads nothing
  int output = STDOUT_FILENO, errors = STDERR_FILENO;  // its descriptors 1 and 2; there are no others
  Group group = Group::parent;
  int niceness = 0;                 // is added to this process's niceness
  std::uint64_t address_bytes = 0;  // RLIMIT_AS; 0: the same as this process
  bool ends_with_parent = false;    // killed when the thread that starts it ends
  bool fixed_addresses = false;     // Linux does not scatter its addresses
};

class ChildProcess {
 public:
  // Starts the program, which exits with code 127 if its file cannot be run. Throws Error when no process can be
  // started.
  explicit ChildProcess(const Program& program);
  // Kills the process, and waits for a second at most.
  ~ChildProcess() { kill(1); }
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  pid_t number() const noexcept { return number_; }
  // Sends SIGKILL to the process with its group, if it has one of its own, unless it has ended. Waits as
  // ends_within() does.
  bool kill(double seconds) noexcept;
  // Waits for the end of the process. Returns false when it still exists after so many seconds, or once `may_wait`
  // returns false.
  bool ends_within(double seconds) noexcept;
  bool ends_while(const std::function<bool()>& may_wait);

  // What is known once the process has ended. The exit code is absent if a signal ended it.
  bool has_ended() const noexcept { return status_.has_value(); }
  std::optional<int> exit_code() const noexcept;
  int signal() const noexcept;                                              // 0: none
  double processor_seconds() const noexcept { return processor_seconds_; }  // with children that it waited for

 private:
  const bool has_group_;
  pid_t number_ = -1;
  std::optional<int> status_;
  double processor_seconds_ = 0;
};

}  // namespace attune
