// The loop of a worker's process. It reads jobs from one descriptor and writes replies to another, until the
// coordinator closes its end of the pipe or ends.
#pragma once

#include <functional>

#include "worker/jobs.hpp"

namespace attune {

// Throws Error when the descriptors of a worker (WorkerDescriptor) are missing, because no coordinator started the
// process. Makes sure that programs started by this process do not get the descriptors.
void expect_coordinator();

// Tells the coordinator that the job under way has begun, or has come to its next part (Started).
void acknowledge();

// Answers the jobs that come in, by `answer`, and acknowledges each job before it begins. Returns when the
// coordinator's end of a pipe is closed. Throws Error for a damaged job.
void serve(const std::function<Reply(const Job&)>& answer);

}  // namespace attune
