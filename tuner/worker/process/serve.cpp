#include "worker/process/serve.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>

#include <cerrno>

#include "attune/error.hpp"
#include "worker/messages/messages.hpp"
#include "worker/process/child_process.hpp"
#include "worker/process/frames.hpp"

namespace attune {
namespace {

void wait_for_job() {
  pollfd requests{requests_descriptor, POLLIN, 0};
  while (poll(&requests, 1, -1) < 0 && errno == EINTR) continue;
}

}  // namespace

void expect_coordinator() {
  for (const int number : {requests_descriptor, replies_descriptor, lifeline_descriptor})
    if (fcntl(number, F_SETFD, FD_CLOEXEC) != 0)
      throw Error("`attune worker` is started by attune itself, with pipes at descriptors 3, 4 and 5");
}

void acknowledge() {
  static const std::vector<std::byte> started = encode(Reply{.answer = Started{}});
  write_frame(replies_descriptor, started, no_deadline);  // if the coordinator is gone, the next read notices
}

void serve(const std::function<Reply(const Job&)>& answer) {
  signal(SIGPIPE, SIG_IGN);
  std::vector<std::byte> message;
  FrameClock::duration unaccounted{};  // how long writing the last reply took, which counts with the next job
  for (;;) {
    wait_for_job();
    const auto begin = FrameClock::now() - unaccounted;
    if (read_frame(requests_descriptor, message, no_deadline) != FrameEnd::whole) return;
    const std::optional<Job> job = decode_job(message);
    if (!job) throw Error("a damaged job; coordinator and worker must be the same build of attune");
    acknowledge();
    Reply reply = answer(*job);
    const auto made = FrameClock::now();
    reply.worked_seconds = std::chrono::duration<double>(made - begin).count();
    if (write_frame(replies_descriptor, encode(reply), no_deadline) != FrameEnd::whole) return;
    unaccounted = FrameClock::now() - made;
  }
}

}  // namespace attune
