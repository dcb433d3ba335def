#include "device/host/compiler_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <sstream>
#include <thread>

#include "attune/error.hpp"
#include "base/process_environment.hpp"
#include "base/start_thread.hpp"
#include "base/system_failure.hpp"
#include "base/trusted_environment.hpp"
#include "base/user_limits.hpp"

namespace attune {
namespace {

namespace fs = std::filesystem;

// Runs between fork and exec, in a process with threads: nothing may allocate.
[[noreturn]] void become(char* const* arguments, char* const* environment, const char* folder, int output) {
  setpgid(0, 0);
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  if (chdir(folder) == 0) execve(arguments[0], arguments, environment);
  _exit(127);
}

// Reads until the end of the output or the deadline. Returns true when the end came first.
bool collect(int source, ProcessDeadline& deadline, ProcessResult& result) {
  std::size_t left_out = 0;
  char buffer[4096];
  for (;;) {
    const int left = deadline.milliseconds_left();
    if (left == 0) return false;
    pollfd wait{source, POLLIN, 0};
    const int ready = poll(&wait, 1, left);
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    const ssize_t count = read(source, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    const std::size_t room = output_bytes - std::min(output_bytes, result.output.size());
    const std::size_t kept = std::min(room, static_cast<std::size_t>(count));
    result.output.append(buffer, kept);
    left_out += static_cast<std::size_t>(count) - kept;
  }
  if (left_out > 0) result.output += "\n... (" + std::to_string(left_out) + " bytes more)";
  return true;
}

// Waits for a child whose output has ended; nearly always it ends at once. Returns false when the deadline comes first.
bool ended(pid_t child, ProcessDeadline& deadline, int& status, rusage& used) {
  for (auto pause = std::chrono::microseconds(100);; pause = std::min(2 * pause, std::chrono::microseconds(10'000))) {
    const pid_t found = wait4(child, &status, WNOHANG, &used);
    if (found == child || (found < 0 && errno != EINTR)) return true;
    if (deadline.milliseconds_left() == 0) return false;
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& arguments, const fs::path& folder, TimeLimit limit) {
  const std::string where = folder.string();
  const std::vector<std::string> variables = environment_with({{"LC_ALL", "C"}, {"TMPDIR", where}});
  const std::vector<char*> list = pointers_to(arguments), environment = pointers_to(variables);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw Error(std::string("cannot make a pipe: ") + system_failure(errno));
  const pid_t child = fork();
  if (child == 0) become(list.data(), environment.data(), where.c_str(), ends[1]);
  const int error = errno;
  close(ends[1]);
  if (child < 0) {
    close(ends[0]);
    throw not_started(arguments[0], error);
  }
  setpgid(child, child);  // done by parent and child: either may come first
  ProcessResult result;
  ProcessDeadline deadline(child, limit);
  int status = 0;
  rusage used{};
  result.timed_out = !collect(ends[0], deadline, result) || !ended(child, deadline, status, used);
  if (result.timed_out) {
    kill(-child, SIGKILL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  }
  close(ends[0]);
  result.processor_seconds = processor_seconds_of(used);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  return result;
}

std::string find_program(const std::string& name) {
  // The path is absolute, because a compiler runs in another folder.
  if (name.find('/') != std::string::npos) return access(name.c_str(), X_OK) == 0 ? fs::absolute(name).string() : "";
  std::istringstream folders(trusted_environment("PATH").value_or("/usr/bin:/bin"));
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string candidate = (folder.empty() ? "." : folder) + "/" + name;
    if (access(candidate.c_str(), X_OK) == 0) return fs::absolute(candidate).string();
  }
  return "";
}

TemporaryFolder::TemporaryFolder() {
  const std::string parent = trusted_environment("TMPDIR").value_or("/tmp");
  std::string name = (fs::absolute(parent) / "attune-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr)
    throw Error("cannot make a folder for temporary files in " + parent + ": " + system_failure(errno) +
                "; name another place with TMPDIR");
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace attune
