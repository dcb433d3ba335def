// The loop of a worker's process: requests from one descriptor, replies to another, until the coordinator closes its
// end or is gone.
#pragma once

#include <filesystem>
#include <functional>

#include "worker/messages/messages.hpp"

namespace attune {

// Serves the descriptors of a worker (WorkerDescriptor). Returns when there are no more requests. When the coordinator
// is gone it removes `folder` and ends the process at once, whatever runs; `folder` is the process's WorkerFolder, or
// empty where none could be made. Throws Error when the descriptors are not there: the process was not started by a
// coordinator.
void serve(const std::filesystem::path& folder, const std::function<Reply(const Request&)>& answer);

// Whether serve() finds another request, or its end, as soon as this one is answered.
bool request_waits() noexcept;

}  // namespace attune
