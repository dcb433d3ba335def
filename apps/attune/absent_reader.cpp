#include "absent_reader.hpp"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <system_error>
#include <thread>

#include "base/start_thread.hpp"
#include "base/trusted_environment.hpp"

namespace attune::cli {
namespace {

void watch() {
  pollfd output{STDOUT_FILENO, 0, 0};
  while (poll(&output, 1, -1) < 1 || (output.revents & (POLLERR | POLLHUP)) == 0)
    if ((output.revents & POLLNVAL) != 0) return;
  struct sigaction present {};
  sigaction(SIGHUP, nullptr, &present);
  if (present.sa_handler != SIG_DFL) {
    kill(getpid(), SIGHUP);  // nohup has it ignored
    return;
  }
  std::signal(SIGPIPE, SIG_DFL);
  kill(getpid(), SIGPIPE);
}

}  // namespace

void end_without_reader() {
  if (trusted_environment("ATTUNE_WITHOUT_READER") != "end") return;
  struct stat output {};
  if (fstat(STDOUT_FILENO, &output) != 0 || !(S_ISFIFO(output.st_mode) || S_ISSOCK(output.st_mode))) return;
  const BlockedSignals blocked;
  try {
    std::thread(watch).detach();
  } catch (const std::system_error&) {
    // Where no thread is to be had, the command goes on without a reader, and fails to write.
  }
}

}  // namespace attune::cli
