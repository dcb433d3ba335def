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

// A worker at rest ends by itself when its jobs end.
constexpr timespec last_words{0, 50'000'000};

void on_end_of_worker(int) {}

// Overwrites the worker's mark in this process, so that the guard is not killed with the processes that have the mark.
// The mark is read where exec() has put it.
void take_mark_off() {
  if (char* const mark = std::getenv(worker_mark)) std::memset(mark, '-', std::strlen(mark));
}

// Closes all descriptors but `jobs`, because the worker's end of its replies must close when the worker ends. Returns
// the new number of `jobs`; -1: there was none.
int keep_only(int jobs) {
  const int kept = fcntl(jobs, F_DUPFD, 10), nothing = open("/dev/null", O_RDWR);
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nothing, number);
  kept < 0 ? close(STDERR_FILENO + 1) : dup2(kept, STDERR_FILENO + 1);
#ifdef SYS_close_range
  syscall(SYS_close_range, STDERR_FILENO + 2, ~0u, 0);
#else
  for (int number = STDERR_FILENO + 2; number < 1024; ++number) close(number);
#endif
  return kept < 0 ? -1 : STDERR_FILENO + 1;
}

// Returns when the worker has ended, or a moment after the other end of `jobs` has closed.
void wait_for_end(pid_t worker, int jobs) {
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
    pollfd end{jobs, POLLRDHUP, 0};  // jobs themselves are the worker's
    if (ppoll(&end, 1, nullptr, &waiting) > 0) break;
  }
  if (getppid() == worker) ppoll(nullptr, 0, &last_words, &waiting);
}

[[noreturn]] void guard(pid_t worker, const Leftovers& leftovers, int jobs) {
  setsid();  // so the guard is not killed with the worker's session
  take_mark_off();
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) signal(number, SIG_IGN);
  wait_for_end(worker, keep_only(jobs));
  if (getppid() == worker) kill(worker, SIGKILL);
  kill_processes_of(leftovers.session, leftovers.mark);
  for (int i = 0; i < most_waits && getppid() == worker; ++i) usleep(wait_microseconds);
  if (!leftovers.folder.empty()) remove_worker_folder(leftovers.folder);
  _exit(0);
}

}  // namespace

void start_worker_guard(const Leftovers& leftovers, int jobs) {
  const pid_t worker = getpid(), child = fork();
  if (child == 0) guard(worker, leftovers, jobs);
  if (child < 0) throw not_started("a worker's guard", errno);
}

}  // namespace attune
