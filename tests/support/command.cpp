#include "support/command.hpp"

#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <stdexcept>

#include "support/few_processes.hpp"

namespace attune::test {
namespace {

[[noreturn]] void become(const std::vector<std::string>& arguments, const CommandOptions& options, int out, int err) {
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  for (const auto& [name, value] : options.environment) {
    if (value.empty())
      unsetenv(name.c_str());
    else
      setenv(name.c_str(), value.c_str(), 1);
  }
  if (options.file_size_limit > 0) {
    const rlimit limit{static_cast<rlim_t>(options.file_size_limit), static_cast<rlim_t>(options.file_size_limit)};
    setrlimit(RLIMIT_FSIZE, &limit);
    signal(SIGXFSZ, SIG_IGN);  // writes fail with EFBIG instead, as on a full disk
  }
  if (options.processor_limit > 0) {
    const auto seconds = static_cast<rlim_t>(options.processor_limit);
    const rlimit limit{seconds, options.is_soft_limit ? RLIM_INFINITY : seconds};
    setrlimit(RLIMIT_CPU, &limit);
  }
  if (options.processes > 0 && !become_lone_user(static_cast<rlim_t>(options.processes))) _exit(126);
  for (const int number : options.ignored_signals) signal(number, SIG_IGN);
  std::vector<char*> list;
  for (const std::string& argument : arguments) list.push_back(const_cast<char*>(argument.c_str()));
  list.push_back(nullptr);
  execvp(list[0], list.data());
  _exit(127);
}

// Reads the bytes that are there. Returns false at the end.
bool read_some(int descriptor, std::string& text) {
  char buffer[4096];
  const ssize_t count = ::read(descriptor, buffer, sizeof buffer);
  if (count > 0) text.append(buffer, static_cast<std::size_t>(count));
  return count > 0;
}

}  // namespace

CommandResult run_command(const std::vector<std::string>& arguments, const CommandOptions& options) {
  int out[2], err[2];
  if (pipe(out) != 0 || pipe(err) != 0) throw std::runtime_error("pipe");
  const pid_t child = fork();
  if (child == 0) {
    close(out[0]);
    close(err[0]);
    become(arguments, options, out[1], err[1]);
  }
  close(out[1]);
  close(err[1]);
  CommandResult result;
  int signals = 0;
  pollfd sources[2] = {{out[0], POLLIN, 0}, {err[0], POLLIN, 0}};
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(options.timeout_seconds);
  while (sources[0].fd >= 0 || sources[1].fd >= 0) {
    poll(sources, 2, 200);
    if (std::chrono::steady_clock::now() > deadline) kill(child, SIGKILL);
    if (sources[0].revents != 0 && !read_some(out[0], result.out)) sources[0].fd = -1;
    if (sources[1].revents != 0 && !read_some(err[0], result.err)) sources[1].fd = -1;
    const int wanted = signals < options.signals && options.signal_when ? options.signal_when(result.out) : 0;
    if (wanted == 0) continue;
    kill(child, wanted);
    ++signals;
  }
  close(out[0]);
  close(err[0]);
  int status = 0;
  waitpid(child, &status, 0);
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

}  // namespace attune::test
