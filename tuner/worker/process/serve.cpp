#include "worker/process/serve.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>

#include "attune/error.hpp"
#include "worker/messages/messages.hpp"
#include "worker/process/frames.hpp"

namespace attune {
namespace {

Channel of_this_process;

int moved(int number) {
  const int taken = isatty(number) == 1 ? -1 : fcntl(number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (taken >= 0) return taken;
  throw UsageError(
      "a worker gets its jobs by standard input and answers by standard output: attune starts it, as "
      "`attune tune --worker attune-worker` does");
}

void wait_for_job() {
  pollfd jobs{channel().jobs, POLLIN, 0};
  while (poll(&jobs, 1, -1) < 0 && errno == EINTR) continue;
}

}  // namespace

const Channel& take_channel() {
  of_this_process = {moved(STDIN_FILENO), moved(STDOUT_FILENO)};
  const int nothing = open("/dev/null", O_RDWR);
  dup2(nothing, STDIN_FILENO);
  if (fcntl(STDERR_FILENO, F_GETFD) < 0) dup2(nothing, STDERR_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  if (nothing > STDERR_FILENO) close(nothing);
  return of_this_process;
}

const Channel& channel() noexcept { return of_this_process; }

void acknowledge() {
  static const std::vector<std::byte> started = encode(Reply{.answer = StartNotice{}});
  write_frame(channel().replies, started, no_deadline);  // if the coordinator is gone, the next read notices
}

void serve(const std::function<Reply(const Job&)>& answer) {
  std::vector<std::byte> message;
  FrameClock::duration unaccounted{};  // how long writing the last reply took, which counts with the next job
  for (;;) {
    wait_for_job();
    const auto begin = FrameClock::now() - unaccounted;
    if (read_frame(channel().jobs, message, no_deadline) != FrameEnd::whole) return;
    const std::optional<Job> job = decode_job(message);
    if (!job) throw Error("a damaged job; coordinator and worker must be the same build of attune");
    acknowledge();
    Reply reply = answer(*job);
    const auto made = FrameClock::now();
    reply.worked_seconds = std::chrono::duration<double>(made - begin).count();
    if (write_frame(channel().replies, encode(reply), no_deadline) != FrameEnd::whole) return;
    unaccounted = FrameClock::now() - made;
  }
}

}  // namespace attune
