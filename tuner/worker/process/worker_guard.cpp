#include "worker/process/worker_guard.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "attune/error.hpp"
#include "base/start_thread.hpp"
#include "base/system_failure.hpp"
#include "worker/process/worker_folder.hpp"
#include "worker/process/worker_processes.hpp"

namespace attune {
namespace {

// How long the guard waits for a killed worker to end. One that still exists then hangs in the driver, and writes no
// more files.
constexpr int most_waits = 3000;
constexpr useconds_t wait_microseconds = 10'000;

void on_end_of_worker(int) {}

// Overwrites the worker's mark in this process, so that the guard is not killed with the processes that have the mark.
// The mark is read where exec() has put it.
void take_mark_off() {
  if (char* const mark = std::getenv(worker_mark)) std::memset(mark, '-', std::strlen(mark));
}

// Closes all descriptors but the lifeline, because the worker's pipes must close when the worker ends.
void keep_only(int lifeline) {
  const int kept = fcntl(lifeline, F_DUPFD, 10), nothing = open("/dev/null", O_RDWR);
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nothing, number);
  dup2(kept, STDERR_FILENO + 1);
#ifdef SYS_close_range
  syscall(SYS_close_range, STDERR_FILENO + 2, ~0u, 0);
#else
  for (int number = STDERR_FILENO + 2; number < 1024; ++number) close(number);
#endif
}

// Returns when the lifeline has closed or the worker has ended.
void wait_for_end(pid_t worker, int lifeline) {
  struct sigaction action {};
  action.sa_handler = on_end_of_worker;
  sigaction(SIGUSR1, &action, nullptr);
  sigset_t blocked, waiting;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  sigprocmask(SIG_BLOCK, &blocked, &waiting);
  sigdelset(&waiting, SIGUSR1);
  prctl(PR_SET_PDEATHSIG, SIGUSR1);
  while (getppid() == worker) {
    pollfd end{lifeline, POLLIN, 0};
    if (ppoll(&end, 1, nullptr, &waiting) > 0) return;
  }
}

[[noreturn]] void guard(pid_t worker, const Leftovers& leftovers, int lifeline) {
  setsid();  // so the guard is not killed with the worker's session
  take_mark_off();
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) signal(number, SIG_IGN);
  keep_only(lifeline);
  wait_for_end(worker, STDERR_FILENO + 1);
  if (getppid() == worker) kill(worker, SIGKILL);
  kill_processes_of(leftovers.session, leftovers.mark);
  for (int i = 0; i < most_waits && getppid() == worker; ++i) usleep(wait_microseconds);
  if (!leftovers.folder.empty()) remove_worker_folder(leftovers.folder);
  _exit(0);
}

}  // namespace

void start_worker_guard(const Leftovers& leftovers, int lifeline) {
  const pid_t worker = getpid(), child = fork();
  if (child == 0) guard(worker, leftovers, lifeline);
  if (child < 0) throw not_started("a worker's guard", errno);
}

}  // namespace attune
