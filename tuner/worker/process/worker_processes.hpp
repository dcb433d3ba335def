// Finds the processes that a worker started, by the worker's session and by a mark in their environment. A process that
// starts a session of its own keeps the mark.
#pragma once

#include <sys/types.h>

#include <string>

namespace attune {

// The environment variable that holds the mark: a text that no other worker has.
inline constexpr const char* worker_mark = "ATTUNE_WORKER";

// Sends SIGKILL to all processes of this session, and to all that were started with this mark, except the caller. An
// empty mark matches no process. Returns when none of them is left, or after a moment.
void kill_processes_of(pid_t session, const std::string& mark) noexcept;

}  // namespace attune
