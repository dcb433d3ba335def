// The loop of a worker's process. It reads jobs from what was its standard input and writes replies to what was its
// standard output, until the coordinator closes its end or ends.
#pragma once

#include <functional>

#include "worker/jobs.hpp"

namespace attune {

// The descriptors of a worker's messages. Programs that the worker starts do not get them.
struct Channel {
  int jobs = -1, replies = -1;
};

// Moves standard input and output of this process to its channel. From then on it reads nothing from standard input,
// and what it prints goes to standard error. Call it while the process has one thread. Throws UsageError when standard
// input or output is closed or a terminal, because no coordinator started the process.
const Channel& take_channel();

// Returns what take_channel() returned.
const Channel& channel() noexcept;

// Tells the coordinator that the job under way has begun, or has come to its next part (StartNotice).
void acknowledge();

// Answers the jobs that come in, by `answer`, and acknowledges each job before it begins. Returns when the
// coordinator's end of the channel is closed. Throws Error for a damaged job.
void serve(const std::function<Reply(const Job&)>& answer);

}  // namespace attune
