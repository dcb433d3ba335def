// The loop of a worker's process: jobs from one descriptor, replies to another. It lasts until the coordinator closes
// its end or ends.
#pragma once

#include <filesystem>
#include <functional>

#include "worker/jobs.hpp"

namespace attune {

// Serves the descriptors of a worker (WorkerDescriptor), and acknowledges each job before it begins. Returns when there
// are no more jobs. When the coordinator has ended, it removes `folder` and ends the process at once, whatever runs.
// `folder` is the process's WorkerFolder, or empty without one. Throws Error when the descriptors are missing: then no
// coordinator started the process.
void serve(const std::filesystem::path& folder, const std::function<Reply(const Job&)>& answer);

}  // namespace attune
