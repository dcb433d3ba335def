// The loop of a worker's process: jobs from one descriptor, replies to another. It lasts until the coordinator closes
// its end or ends.
#pragma once

#include <functional>

#include "worker/jobs.hpp"

namespace attune {

// Throws Error when the descriptors of a worker (WorkerDescriptor) are missing: then no coordinator started the
// process. No child gets them.
void expect_coordinator();

// Says that the job under way has begun, or has come to its next part (Started).
void acknowledge();

// Serves these descriptors, and acknowledges each job before it begins. Returns when there are no more jobs.
void serve(const std::function<Reply(const Job&)>& answer);

}  // namespace attune
