#include "worker/process/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <thread>

#include "attune/error.hpp"
#include "base/process_environment.hpp"
#include "base/start_thread.hpp"
#include "base/system_failure.hpp"
#include "base/user_limits.hpp"
#include "worker/process/worker_processes.hpp"

namespace attune {
namespace {

using Clock = std::chrono::steady_clock;

// How many bytes of a worker's last output are kept.
constexpr std::size_t printed_bytes = 4096;

constexpr int requests_bytes = 1 << 20;

// How long kill() waits before it kills. A worker whose pipe broke is about to end by itself, and its exit status says
// more than SIGKILL.
constexpr double last_words_seconds = 0.05;

struct Pipe {
  int read = -1, write = -1;
};

Pipe make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw Error(std::string("cannot make a pipe: ") + system_failure(errno));
  return {ends[0], ends[1]};
}

struct Becoming {
  char* const* arguments;
  char* const* environment;
  int requests, replies, lifeline;
  int output;  // -1: the output stays as it is
  ChildLimits limits;
};

// Runs between fork and exec. The parent has threads, so nothing here may allocate.
[[noreturn]] void become(const Becoming& what) {
  setsid();  // so Ctrl-C reaches only the coordinator, and all that the worker starts is found by its session
  struct sigaction reset {};
  reset.sa_handler = SIG_DFL;
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ}) sigaction(number, &reset, nullptr);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  // Moves the descriptors away from the numbers that they will get below.
  const int requests = fcntl(what.requests, F_DUPFD, 10), replies = fcntl(what.replies, F_DUPFD, 10);
  const int lifeline = fcntl(what.lifeline, F_DUPFD, 10);
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  if (what.output >= 0) {
    dup2(what.output, STDOUT_FILENO);
    dup2(what.output, STDERR_FILENO);
  }
  dup2(requests, requests_descriptor);
  dup2(replies, replies_descriptor);
  dup2(lifeline, lifeline_descriptor);
#ifdef SYS_close_range
  syscall(SYS_close_range, lifeline_descriptor + 1, ~0u, 0);
#endif
  for (const int number : {requests, replies, lifeline}) close(number);
  setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + what.limits.niceness);
  if (what.limits.address_bytes != 0) {
    const rlimit limit{what.limits.address_bytes, what.limits.address_bytes};
    setrlimit(RLIMIT_AS, &limit);
  }
  const rlimit no_core{0, 0};  // no core files, because crashes of a worker are normal
  setrlimit(RLIMIT_CORE, &no_core);
  execve(what.arguments[0], what.arguments, what.environment);
  _exit(127);
}

}  // namespace

ChildProcess::Descriptor::~Descriptor() { close(); }

void ChildProcess::Descriptor::close() noexcept {
  if (number >= 0) ::close(number);
  number = -1;
}

ChildProcess::ChildProcess(const std::vector<std::string>& arguments, const ChildLimits& limits, Output kind) {
  const Pipe requests = make_pipe();
  // An image fits into the pipe, so that sending does not wait until all is read. Where so large a pipe is not allowed,
  // it stays small.
  fcntl(requests.write, F_SETPIPE_SZ, requests_bytes);
  requests_.number = requests.write;
  Descriptor their_requests{requests.read};
  const Pipe replies = make_pipe();
  replies_.number = replies.read;
  Descriptor their_replies{replies.write};
  const Pipe lifeline = make_pipe();
  lifeline_.number = lifeline.write;
  Descriptor their_lifeline{lifeline.read};
  const Pipe output = make_pipe();
  output_.number = output.read;
  Descriptor their_output{output.write};
  // A pipe that is full must not make the worker wait. So unread output of a kernel that prints without end is lost.
  for (const int number : {output.read, output.write, requests.write, replies.read})
    fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK);

  const std::vector<std::string> variables =
      environment_with({{"TMPDIR", folder_.path()}, {worker_mark, folder_.path()}});
  const std::vector<char*> list = pointers_to(arguments), environment = pointers_to(variables);
  const Becoming what{list.data(),
                      environment.data(),
                      their_requests.number,
                      their_replies.number,
                      their_lifeline.number,
                      kind == Output::shared ? -1 : their_output.number,
                      limits};
  child_ = fork();
  if (child_ == 0) become(what);
  if (child_ < 0) throw not_started(arguments[0], errno);
}

ChildProcess::~ChildProcess() {
  requests_.close();  // a worker that waits for requests then ends by itself
  kill(1);
}

bool ChildProcess::reap(double seconds) noexcept {
  const auto deadline = Clock::now() + std::chrono::duration<double>(seconds);
  for (auto pause = std::chrono::microseconds(100); !status_;
       pause = std::min(2 * pause, std::chrono::microseconds(10'000))) {
    int status = 0;
    rusage used{};
    const pid_t found = wait4(child_, &status, WNOHANG, &used);
    if (found == child_) {
      status_ = status;
      processor_seconds_ = processor_seconds_of(used);
    }
    if (found < 0 && errno != EINTR) status_ = 0;  // it was reaped elsewhere
    if (status_ || Clock::now() >= deadline) break;
    std::this_thread::sleep_for(pause);
  }
  return status_.has_value();
}

bool ChildProcess::kill(double seconds) noexcept {
  if (killed_) return reap(seconds);
  killed_ = true;
  reap(last_words_seconds);
  if (!status_) {
    is_ended_here_ = true;
    ::kill(child_, SIGKILL);
  }
  kill_processes_of(child_, folder_.path().string());  // such as a compiler, which runs in a process group of its own
  return reap(seconds);
}

std::string ChildProcess::how_it_ended() const {
  if (!status_) return "still exists";
  if (WIFSIGNALED(*status_))
    return fmt::format("killed by signal {} ({})", WTERMSIG(*status_), strsignal(WTERMSIG(*status_)));
  return fmt::format("exited with code {}", WEXITSTATUS(*status_));
}

int ChildProcess::ending_signal() const {
  return status_ && WIFSIGNALED(*status_) && !is_ended_here_ ? WTERMSIG(*status_) : 0;
}

std::string ChildProcess::last_output() {
  std::array<char, 4096> piece{};
  for (;;) {
    const ssize_t count = read(output_.number, piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    printed_.append(piece.data(), static_cast<std::size_t>(count));
    if (printed_.size() > printed_bytes) printed_.erase(0, printed_.size() - printed_bytes);
  }
  return printed_;
}

}  // namespace attune
